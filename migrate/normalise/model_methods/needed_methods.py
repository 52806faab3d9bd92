"""Finds the methods that a model_fn calls, and what they read of their object."""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import names
from migrate.facts.objects import Objects, Unsettled, is_of_class, is_static
from migrate.facts.scopes import Scopes
from migrate.normalise.model_methods.sites import Site
from migrate.normalise.text import Text
from migrate.source.nodes import walk_breadth_first

_REFLECTS = frozenset({"getattr", "hasattr", "methodcaller", "attrgetter"})


@dataclasses.dataclass
class Method:
    """A method that becomes a function.

    Attributes:
      receiver: what it calls its object; "" for a static one.
      calls: of other methods of its object, by name.
      reads: attributes of its object that it reads itself.
    """

    node: ast.FunctionDef
    receiver: str
    calls: dict[str, list[ast.Call]] = dataclasses.field(default_factory=dict)
    reads: dict[str, list[ast.Attribute]] = dataclasses.field(default_factory=dict)


class Taking:
    """Finds the methods of a model_fn, and checks that what they read is settled."""

    def __init__(
        self,
        text: Text,
        scopes: Scopes,
        site: Site,
        sites: list[Site],
        elsewhere: tuple[str, ...],
    ) -> None:
        self._text, self._scopes, self._site = text, scopes, site
        self._sites, self._elsewhere = sites, elsewhere
        self._objects = Objects(scopes)
        self._of_object = self._objects.find_class(site.node.value) is not None
        owner = self._find_owner(site.node)
        assert owner is not None
        self._owner: ast.ClassDef = owner
        self._methods: dict[str, Method] = {}

    def _take(self, owner: ast.ClassDef, name: str, at: ast.AST) -> None:
        """A method, and those it calls."""
        if name in self._methods:
            return
        node = self._objects.find_method(owner, name)
        if node is None:
            raise Unsettled(at, f"the tool finds no method {name}() of {owner.name}")
        others = [d for d in node.decorator_list if not isinstance(d, ast.Name)]
        if others or len(node.decorator_list) > is_static(node) + is_of_class(node):
            raise Unsettled(node, f"{name}() has a decorator")
        if node.body[0].lineno == node.lineno or not self._text.is_alone(node):
            raise Unsettled(node, f"{name}() shares its line with other code")
        method = Method(node, self._objects.find_receiver(node))
        self._methods[name] = method
        inner = self._scopes.scope_by_node[node]
        self._check_header(node)
        for child in walk_breadth_first(node):
            if isinstance(child, ast.Name) and child.id in ("super", "__class__"):
                raise Unsettled(child, f"{name}() uses {child.id}")
            if _is_mangled(child) and not self._is_attribute(child, method):
                raise Unsettled(
                    child, f"{name}() uses a private name (`__...`) of its class"
                )
            if isinstance(child, (ast.Global, ast.Nonlocal)):
                raise Unsettled(child, f"{name}() assigns outer names")
            if not isinstance(child, ast.Name) or child.id != method.receiver:
                continue
            if self._scopes.find_scope(child).find_owner(child.id) is inner:
                self._read_receiver_use(child, method, owner)
        for statement in node.body:
            changed = names.find_mutations(statement) - {""}
            for inside in walk_breadth_first(statement):
                changed |= (
                    names.find_mutations(inside)
                    if isinstance(inside, ast.stmt)
                    else set()
                )
            for attribute in method.reads:
                if f"{method.receiver}.{attribute}" in changed:
                    raise Unsettled(statement, f"{name}() changes `self.{attribute}`")

    def _check_header(self, node: ast.FunctionDef) -> None:
        """Refuses defaults and annotations that read names of the class."""
        for part in [*node.args.defaults, *node.args.kw_defaults, node.returns]:
            for child in walk_breadth_first(part) if part is not None else ():
                if isinstance(child, ast.Name):
                    owner = self._scopes.find_scope(child).find_owner(child.id)
                    if owner is not None and isinstance(owner.node, ast.ClassDef):
                        raise Unsettled(
                            child, f"{node.name}() reads `{child.id}` of its class"
                        )

    def _is_attribute(self, node: ast.AST, method: Method) -> bool:
        """Whether a node is `self.x`."""
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == method.receiver
        )

    def _read_receiver_use(
        self, node: ast.Name, method: Method, owner: ast.ClassDef
    ) -> None:
        """Reads one use of `self`: an attribute that is read, or a method's call."""
        attribute = self._scopes.parents.get(node)
        name = method.node.name
        if not isinstance(attribute, ast.Attribute):
            raise Unsettled(node, f"{name}() passes its `{node.id}` to other code")
        if not isinstance(attribute.ctx, ast.Load):
            raise Unsettled(attribute, f"{name}() sets `self.{attribute.attr}`")
        call = self._scopes.parents.get(attribute)
        called = self._objects.find_method(owner, attribute.attr)
        if called is None:
            if is_of_class(method.node):
                raise Unsettled(attribute, f"{name}() reads an attribute of its class")
            method.reads.setdefault(attribute.attr, []).append(attribute)
        elif isinstance(call, ast.Call) and call.func is attribute:
            if any(isinstance(a, ast.Starred) for a in call.args):
                raise Unsettled(
                    call,
                    f"the tool cannot tell which arguments {name}() passes to "
                    f"{called.name}()",
                )
            self._take(owner, attribute.attr, attribute)
            method.calls.setdefault(attribute.attr, []).append(call)
        else:
            raise Unsettled(
                attribute, f"{name}() passes its method {attribute.attr} to other code"
            )

    def _find_uses(self) -> list[Site]:
        """Lists the Estimators that have the model_fn; refuses all other uses."""
        family = self._objects.list_family(self._owner)
        sites: list[Site] = []
        for site in self._sites:
            whose = self._find_owner(site.node)
            if site.node.attr == self._site.node.attr and whose in family:
                sites.append(site)
                if whose is not self._find_owner(self._site.node):
                    raise Unsettled(site.node, "Estimators of two classes use it")
        known = {site.node for site in sites}
        for method in self._methods.values():
            known.update(c.func for calls in method.calls.values() for c in calls)  # type: ignore[misc]
        for node in self._scopes.walk():
            if isinstance(node, ast.Constant) and node.value in self._methods:
                around = self._scopes.parents.get(node)
                if isinstance(around, ast.Call) and _REFLECTS & _find_words(
                    around.func
                ):
                    raise Unsettled(
                        node, f"the program looks {node.value}() up by its name"
                    )
            if isinstance(node, ast.Attribute) and node.attr in self._methods:
                whose = self._find_owner(node)
                if node in known or (whose is not None and whose not in family):
                    continue
                raise Unsettled(
                    node, f"the program uses {node.attr}() for more than Estimators"
                )
        return sites

    def _find_owner(self, node: ast.Attribute) -> ast.ClassDef | None:
        """Returns the class of the object, or the class, that has an attribute."""
        of = self._objects.find_class(node.value)
        return of or self._objects.find_named_class(node.value)

    def _find_needed_attributes(self) -> dict[str, list[str]]:
        """Maps each method to the attributes that it and its callees read."""
        found = {name: dict.fromkeys(m.reads) for name, m in self._methods.items()}
        before = -1
        while before != sum(map(len, found.values())):
            before = sum(map(len, found.values()))
            for name, method in self._methods.items():
                for called in method.calls:
                    found[name].update(found[called])
        return {name: list(attributes) for name, attributes in found.items()}

    def _check_ready(
        self, site: Site, attribute: str, stores: list[ast.Attribute]
    ) -> None:
        """Refuses an attribute that is set after the Estimator is made."""
        around: ast.AST | None = site.call
        while around is not None and self._objects.find_home(around) is None:
            around = self._scopes.parents.get(around)
        if not isinstance(around, ast.FunctionDef):
            return
        late = f"`self.{attribute}` is set after the Estimator is made"
        inits = list(self._objects.find_constructors(self._owner))
        for init in inits:
            makes = [
                node.lineno
                for node in walk_breadth_first(init)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == self._objects.find_receiver(init)
                and around.name in self._find_reached_methods(node.attr)
            ]
            if around is init:
                makes.append(site.call.lineno)
            for store in stores if makes else ():
                if store.lineno >= min(makes) or not any(
                    node is store for node in walk_breadth_first(init)
                ):
                    raise Unsettled(store, late)

    def _find_reached_methods(self, name: str) -> set[str]:
        """Methods that a method calls, and itself."""
        found, work = set(), [name]
        while work:
            current = work.pop()
            if current in found:
                continue
            found.add(current)
            for one in self._objects.list_family(self._owner):
                for bound in self._scopes.scope_by_node[one].bindings.get(current, []):
                    work += [
                        node.attr
                        for node in walk_breadth_first(bound)
                        if isinstance(node, ast.Attribute)
                    ]
        return found

    def _check_elsewhere(self, needed: dict[str, list[str]]) -> None:
        """Refuses uses in other files, except to make objects of the class."""
        wanted = "|".join(map(re.escape, self._methods))
        uses = re.compile(rf"\.({wanted})\b|class \w+\([^)]*\b{self._owner.name}\b")
        attributes = "|".join(re.escape(a) for one in needed.values() for a in one)
        sets = re.compile(rf"\.({attributes})\s*[-+*/]?=[^=]|\b(set|del)attr\b")
        for text in self._elsewhere:
            if uses.search(text) or (attributes and sets.search(text)):
                raise Unsettled(self._owner, f"other files use {self._owner.name}, too")


def _find_words(node: ast.expr) -> set[str]:
    """Returns the last name of an expression that is called."""
    if isinstance(node, ast.Attribute):
        return {node.attr}
    return {node.id} if isinstance(node, ast.Name) else set()


def _is_mangled(node: ast.AST) -> bool:
    """Whether a name means another outside of its class."""
    name = ""
    if isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node, ast.Name):
        name = node.id
    return name.startswith("__") and not name.endswith("__")
