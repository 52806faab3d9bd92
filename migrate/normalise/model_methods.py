"""TF1 to TF1: a model_fn that is a method becomes a function that takes what it reads.

    class Trainer(object):                      class Trainer(object):
        def __init__(self, hidden):                 def __init__(self, hidden):
            self.hidden = hidden                        self.hidden = hidden

        def model_fn(self, features, ...):          def estimator(self):
            ...self.hidden...                           return tf.estimator.Estimator(
                                                            functools.partial(
        def estimator(self):                                    trainer_model_fn,
            return tf.estimator.Estimator(                      hidden=self.hidden))
                self.model_fn)

                                                def trainer_model_fn(features, ..., hidden):
                                                    ...hidden...

Methods that it calls go with it. What it reads of its object must be settled by then (see
`facts/objects.py`), for it is read where the Estimator is made.
"""

from __future__ import annotations

import ast
import bisect
import dataclasses
import io
import re
import tokenize
from collections.abc import Iterator, Mapping

from migrate.facts import names
from migrate.facts.objects import Objects, Unsettled, is_of_class, is_static
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.signature import class_name
from migrate.normalise.text import Edit, Text, inside_strings
from migrate.tables import keras_models as table

_WIDTH = 88
_ESTIMATOR = "tf.estimator.Estimator"
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Names of a model_fn's own arguments, and of a Keras model's steps.
_RESERVED = frozenset(
    {"features", "labels", "mode", "params", "config", "self", "data", "tape"}
    | {"inputs", "training", "gradients", "scaled_loss"}
)
_GENERIC = frozenset({"model_fn", "model", "fn", "model_function", "get_model_fn"})


@dataclasses.dataclass(frozen=True)
class Moved:
    """What became of the text.

    Attributes:
      text: with functions in place of methods; the text as it was if there are none.
      functions: of each method that is one now -> the original line of its Estimator.
      given: of each of these functions, what it takes that its object had.
      stays: original lines of Estimators whose model_fn stays a method -> why.
    """

    text: Text
    functions: dict[str, int]
    given: dict[str, list[str]]
    stays: dict[int, str]


def as_functions(
    text: Text, elsewhere: tuple[str, ...] = (), left: Mapping[int, str] | None = None
) -> Moved:
    """The text with every such method as a function.

    Args:
      elsewhere: texts of other files that know classes of this one.
      left: lines of Estimators whose method stays one -> why.
    """
    stays, functions = dict(left or {}), dict[str, int]()
    given: dict[str, list[str]] = {}
    while "Estimator" in text.source and "class " in text.source:
        scopes = Scopes(ast.parse(text.source))
        sites = list(_sites(scopes))
        move = None
        for site in sites:
            at = text.origins[site.call.lineno - 1]
            if at in stays:
                continue
            try:
                move = _Move(text, scopes, site, sites, elsewhere)
                new = move.run()
                break
            except Unsettled as reason:
                line = text.origins[getattr(reason.node, "lineno", 1) - 1]
                where = "" if line == at else f" (line {line})"
                stays[at] = f"it is a method, and {reason.reason}{where}"
                move = None
        if move is None:
            break
        text = new
        functions.update(dict.fromkeys(move.given, at))
        given |= move.given
    return Moved(text, functions, given, stays)


@dataclasses.dataclass(frozen=True, eq=False)
class _Site:
    """An Estimator that is given a method, or what a method returns.

    Attributes:
      node: `self.model_fn`.
      built: `self.model_fn(...)`, where the method is called for a model_fn.
    """

    call: ast.Call
    node: ast.Attribute
    built: ast.Call | None


def _sites(scopes: Scopes) -> Iterator[_Site]:
    objects = Objects(scopes)
    for use, symbol in scopes.walk_uses():
        call = scopes.parents.get(use)
        if symbol != _ESTIMATOR or not isinstance(call, ast.Call):
            continue
        value = names.argument(call, "model_fn", 0) if call.func is use else None
        built = value if isinstance(value, ast.Call) else None
        node = built.func if built is not None else value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if objects.class_of(node.value) or objects.class_named(node.value):
                yield _Site(call, node, built)


@dataclasses.dataclass
class _Method:
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


class _Move:
    """Moves one model_fn out of its class, with the methods that it calls."""

    def __init__(
        self,
        text: Text,
        scopes: Scopes,
        site: _Site,
        sites: list[_Site],
        elsewhere: tuple[str, ...],
    ) -> None:
        self._text, self._scopes, self._site = text, scopes, site
        self._sites, self._elsewhere = sites, elsewhere
        self._objects = Objects(scopes)
        self._of_object = self._objects.class_of(site.node.value) is not None
        owner = self._whose(site.node)
        assert owner is not None
        self._owner: ast.ClassDef = owner
        self._tokens = _tokens(text.source)
        self._methods: dict[str, _Method] = {}
        self._edits: list[Edit] = []
        # By function, what it takes that its object had.
        self.given: dict[str, list[str]] = {}

    def run(self) -> Text:
        """The text without the method.

        Raises:
          Unsettled: what it computes may depend on more than is in sight.
        """
        owner, name = self._owner, self._site.node.attr
        self._take(owner, name, self._site.node)
        owner = self._objects.home(self._methods[name].node) or owner
        self._owner = owner
        sites = self._uses()
        needed = self._needed()
        for attribute in sorted({a for one in needed.values() for a in one}):
            stores = self._objects.settled(owner, attribute)
            for site in sites:
                self._check_ready(site, attribute, stores)
        if needed[name] and not self._of_object:
            raise Unsettled(self._site.node, f"{name}() has no object here")
        self._check_elsewhere(needed)
        taken = self._taken()
        functions = self._function_names(taken)
        values = self._value_names(needed, taken, functions)
        for name_, method in self._methods.items():
            self._edit(method, needed, functions, values)
            self.given[functions[name_]] = [values[a] for a in needed[name_]]
        partial = False
        for site in sites:
            partial |= self._edit_site(site, needed[name], functions[name], values)
        text = self._text.edited(self._edits)
        text = _apart(self._placed(text, owner))
        text = _with_functools(text) if partial else text
        try:
            ast.parse(text.source)
        except SyntaxError:
            raise Unsettled(self._site.node, "its lines cannot be moved") from None
        return text

    # What goes.

    def _take(self, owner: ast.ClassDef, name: str, at: ast.AST) -> None:
        """A method, and those it calls."""
        if name in self._methods:
            return
        node = self._objects.method(owner, name)
        if node is None:
            raise Unsettled(at, f"{owner.name} has no method {name}() in sight")
        others = [d for d in node.decorator_list if not isinstance(d, ast.Name)]
        if others or len(node.decorator_list) > is_static(node) + is_of_class(node):
            raise Unsettled(node, f"{name}() has a decorator")
        if node.body[0].lineno == node.lineno or not self._text.alone(node):
            raise Unsettled(node, f"{name}() shares its line with other code")
        method = _Method(node, self._objects.receiver(node))
        self._methods[name] = method
        inner = self._scopes.scope_by_node[node]
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and child.id in ("super", "__class__"):
                raise Unsettled(child, f"{name}() uses {child.id}")
            if isinstance(child, (ast.Global, ast.Nonlocal)):
                raise Unsettled(child, f"{name}() binds names of around it")
            if not isinstance(child, ast.Name) or child.id != method.receiver:
                continue
            if self._scopes.scope_of(child).owner(child.id) is inner:
                self._of_receiver(child, method, owner)
        for statement in node.body:
            changed = names.mutates(statement) - {""}
            for inside in ast.walk(statement):
                changed |= (
                    names.mutates(inside) if isinstance(inside, ast.stmt) else set()
                )
            for attribute in method.reads:
                if f"{method.receiver}.{attribute}" in changed:
                    raise Unsettled(statement, f"{name}() changes `self.{attribute}`")

    def _of_receiver(
        self, node: ast.Name, method: _Method, owner: ast.ClassDef
    ) -> None:
        """One use of `self`, which is an attribute that is read or a method's call."""
        attribute = self._scopes.parents.get(node)
        name = method.node.name
        if not isinstance(attribute, ast.Attribute):
            raise Unsettled(node, f"{name}() gives its `{node.id}` to something else")
        if not isinstance(attribute.ctx, ast.Load):
            raise Unsettled(attribute, f"{name}() sets `self.{attribute.attr}`")
        call = self._scopes.parents.get(attribute)
        called = self._objects.method(owner, attribute.attr)
        if called is None:
            if is_of_class(method.node):
                raise Unsettled(attribute, f"{name}() reads what its class has")
            method.reads.setdefault(attribute.attr, []).append(attribute)
        elif isinstance(call, ast.Call) and call.func is attribute:
            if any(isinstance(a, ast.Starred) for a in call.args):
                raise Unsettled(
                    call, f"what {name}() gives {called.name}() is not certain"
                )
            self._take(owner, attribute.attr, attribute)
            method.calls.setdefault(attribute.attr, []).append(call)
        else:
            raise Unsettled(attribute, f"{name}() hands on its method {attribute.attr}")

    def _uses(self) -> list[_Site]:
        """Every Estimator that has the model_fn, if nothing else has, or its helpers."""
        family = self._objects.family(self._owner)
        sites: list[_Site] = []
        for site in self._sites:
            whose = self._whose(site.node)
            if site.node.attr == self._site.node.attr and whose in family:
                sites.append(site)
                if whose is not self._whose(self._site.node):
                    raise Unsettled(site.node, "Estimators of two classes have it")
        known = {site.node for site in sites}
        for method in self._methods.values():
            known.update(c.func for calls in method.calls.values() for c in calls)  # type: ignore[misc]
        for node in self._scopes.walk():
            if isinstance(node, ast.Attribute) and node.attr in self._methods:
                whose = self._whose(node)
                if node in known or (whose is not None and whose not in family):
                    continue
                raise Unsettled(node, f"{node.attr}() is used by more than Estimators")
        return sites

    def _whose(self, node: ast.Attribute) -> ast.ClassDef | None:
        """The class of what an attribute is of: an object, or the class itself."""
        of = self._objects.class_of(node.value)
        return of or self._objects.class_named(node.value)

    def _needed(self) -> dict[str, list[str]]:
        """By method, the attributes that it and those it calls read."""
        found = {name: dict.fromkeys(m.reads) for name, m in self._methods.items()}
        before = -1
        while before != sum(map(len, found.values())):
            before = sum(map(len, found.values()))
            for name, method in self._methods.items():
                for called in method.calls:
                    found[name].update(found[called])
        return {name: list(attributes) for name, attributes in found.items()}

    def _check_ready(
        self, site: _Site, attribute: str, stores: list[ast.Attribute]
    ) -> None:
        """The attribute is set where the Estimator is made."""
        around: ast.AST | None = site.call
        while around is not None and self._objects.home(around) is None:
            around = self._scopes.parents.get(around)
        if not isinstance(around, ast.FunctionDef):
            return
        late = f"`self.{attribute}` is set after the Estimator is made"
        inits = list(self._objects.constructors(self._owner))
        for init in inits:
            makes = [
                node.lineno
                for node in ast.walk(init)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == self._objects.receiver(init)
                and around.name in self._reached(node.attr)
            ]
            if around is init:
                makes.append(site.call.lineno)
            for store in stores if makes else ():
                if store.lineno >= min(makes) or not any(
                    node is store for node in ast.walk(init)
                ):
                    raise Unsettled(store, late)

    def _reached(self, name: str) -> set[str]:
        """Methods that a method calls, and itself."""
        found, work = set(), [name]
        while work:
            current = work.pop()
            if current in found:
                continue
            found.add(current)
            for one in self._objects.family(self._owner):
                for bound in self._scopes.scope_by_node[one].bindings.get(current, []):
                    work += [
                        node.attr
                        for node in ast.walk(bound)
                        if isinstance(node, ast.Attribute)
                    ]
        return found

    def _check_elsewhere(self, needed: dict[str, list[str]]) -> None:
        """Other files make objects of the class, and no more."""
        wanted = "|".join(map(re.escape, self._methods))
        uses = re.compile(rf"\.({wanted})\b|class \w+\([^)]*\b{self._owner.name}\b")
        attributes = "|".join(re.escape(a) for one in needed.values() for a in one)
        sets = re.compile(rf"\.({attributes})\s*[-+*/]?=[^=]|\b(set|del)attr\b")
        for text in self._elsewhere:
            if uses.search(text) or (attributes and sets.search(text)):
                raise Unsettled(
                    self._owner, f"other files know more of {self._owner.name}"
                )

    # What it is called.

    def _taken(self) -> set[str]:
        """Names that the module has anywhere."""
        found = set(self._scopes.module.bindings)
        for node in self._scopes.walk():
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if not isinstance(self._scopes.parents.get(node), ast.ClassDef):
                    found.add(node.name)
        return found

    def _function_names(self, taken: set[str]) -> dict[str, str]:
        """The name of each function."""
        of = _snake(self._owner.name)
        found: dict[str, str] = {}
        for name in self._methods:
            plain = name.strip("_")
            choices = [name, f"{of}_{plain}"]
            if name == self._site.node.attr and self._site.built is None:
                whole = f"{of}_fn" if of.endswith("_model") else f"{of}_model_fn"
                choices = [plain, whole, f"{of}_{plain}", f"keras_{whole}"]
                if plain in _GENERIC:
                    choices = [whole, plain, *choices[2:]]
                choices = [c for c in choices if class_name(c) not in taken]
            free = [c for c in choices if c not in taken and c not in found.values()]
            if not free:
                raise Unsettled(self._methods[name].node, f"the name {name} is taken")
            found[name] = free[0]
        return found

    def _value_names(
        self, needed: dict[str, list[str]], taken: set[str], functions: dict[str, str]
    ) -> dict[str, str]:
        """The parameter for each attribute."""
        of = _snake(self._owner.name)
        used = {
            n.id if isinstance(n, ast.Name) else n.arg
            for method in self._methods.values()
            for n in ast.walk(method.node)
            if isinstance(n, (ast.Name, ast.arg))
        }
        used |= _RESERVED | table.TAKEN | set(functions.values())
        found: dict[str, str] = {}
        for attribute in dict.fromkeys(a for one in needed.values() for a in one):
            plain = attribute.strip("_").lower()
            choices = [plain, f"{plain}_value", f"{of}_{plain}"]
            if plain in _RESERVED:
                choices = choices[::-1]
            free = [
                c
                for c in choices
                if c.isidentifier() and c not in used and c not in found.values()
            ]
            if not free:
                raise Unsettled(self._owner, f"the name {attribute} is taken")
            found[attribute] = free[0]
        return found

    # How it is written.

    def _edit(
        self,
        method: _Method,
        needed: dict[str, list[str]],
        functions: dict[str, str],
        values: dict[str, str],
    ) -> None:
        for attribute, nodes in method.reads.items():
            self._edits += [Edit(node, values[attribute]) for node in nodes]
        for name, calls in method.calls.items():
            for call in calls:
                self._edits.append(Edit(call.func, functions[name]))
                self._give(call, self._methods[name], [values[a] for a in needed[name]])
        self._edit_parameters(method, [values[a] for a in needed[method.node.name]])
        self._rename(method.node, functions[method.node.name])

    def _give(self, call: ast.Call, method: _Method, given: list[str]) -> None:
        """What a function needs, where its parameters have it (see `_edit_parameters`)."""
        arguments = method.node.args
        place = len(arguments.args) - len(arguments.defaults) - bool(method.receiver)
        if not given or not arguments.defaults or len(call.args) <= place:
            return self._append(call, [f"{name}={name}" for name in given])
        line, column = begin = _begin(call.args[place])
        column = self._text.column(line, column)
        at = bisect.bisect_left(self._tokens, (line, column), key=lambda t: t.start)
        if self._tokens[at - 1].string != ",":
            raise Unsettled(call, "an argument in parentheses")
        self._edits.append(Edit(_point(*begin), "".join(f"{name}, " for name in given)))

    def _append(self, call: ast.Call, given: list[str]) -> None:
        """Further arguments, by name."""
        if not given:
            return
        end = call.end_lineno or 0
        column = self._text.column(end, (call.end_col_offset or 1) - 1)
        last = (
            bisect.bisect_left(self._tokens, (end, column), key=lambda t: t.start) - 1
        )
        token = self._tokens[last]
        comma = {"(": "", ",": " "}.get(token.string, ", ")
        line, column = token.end
        byte = len(self._text.lines[line - 1][:column].encode())
        self._edits.append(Edit(_point(line, byte), comma + ", ".join(given)))

    def _edit_parameters(self, method: _Method, given: list[str]) -> None:
        """Without `self`, and with what it needs."""
        arguments = method.node.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
            raise Unsettled(method.node, f"{method.node.name}() takes any arguments")
        every = [*arguments.args, *arguments.kwonlyargs]
        own = every[1:] if method.receiver else every
        if method.receiver:
            end = _end(every[0])
            if own and not arguments.args[1:]:
                raise Unsettled(method.node, "arguments by name alone")
            stop = _begin(own[0]) if own else end
            self._edits.append(Edit(_span(_begin(every[0]), stop), ""))
        if not given:
            return
        first = len(arguments.args) - len(arguments.defaults)
        if arguments.defaults and first < len(arguments.args):
            if arguments.args[first] is (own[0] if own else None):
                # Before the first, where `self` stood or the list begins.
                raise Unsettled(
                    method.node,
                    f"every argument of {method.node.name}() may be left out",
                )
            at = _point(*_begin(arguments.args[first]))
            self._edits.append(Edit(at, "".join(f"{g}, " for g in given)))
        elif own:
            last = own[-1].annotation or own[-1]
            self._edits.append(
                Edit(_point(*_end(last)), "".join(f", {g}" for g in given))
            )
        elif method.receiver:
            self._edits[-1] = Edit(self._edits[-1].node, ", ".join(given))
        else:
            raise Unsettled(method.node, f"{method.node.name}() takes no arguments")

    def _rename(self, node: ast.FunctionDef, name: str) -> None:
        if name != node.name:
            line = self._text.lines[node.lineno - 1]
            column = len(line[: line.index(node.name, node.col_offset + 3)].encode())
            end = column + len(node.name.encode())
            self._edits.append(
                Edit(_span((node.lineno, column), (node.lineno, end)), name)
            )

    def _edit_site(
        self, site: _Site, needed: list[str], function: str, values: dict[str, str]
    ) -> bool:
        """An Estimator's argument; returns whether that is a partial now."""
        of = self._text.segment(site.node.value)
        given = [f"{values[a]}={of}.{a}" for a in needed]
        if any(a.startswith("__") for a in needed) and site.node.value.id != "self":  # type: ignore[attr-defined]
            raise Unsettled(site.node, "a private attribute, outside of its class")
        if site.built is not None:
            self._edits.append(Edit(site.node, function))
            self._append(site.built, given)
            return False
        if not given:
            self._edits.append(Edit(site.node, function))
            return False
        line = self._text.lines[site.node.lineno - 1]
        new = f"functools.partial({function}, {', '.join(given)})"
        if len(line) - len(self._text.segment(site.node)) + len(new) > _WIDTH:
            # Its Estimator's arguments may get lines of their own.
            deeper = 8 if site.call.lineno == site.node.lineno else 4
            hang = "\n" + line[: len(line) - len(line.lstrip())] + " " * deeper
            new = f"functools.partial({hang}{f',{hang}'.join([function, *given])})"
        self._edits.append(Edit(site.node, new))
        return True

    def _placed(self, text: Text, owner: ast.ClassDef) -> Text:
        """The methods out of their classes, behind the one whose object it was."""
        lines: list[str] = []
        origins: list[int] = []
        gone: list[tuple[int, int]] = []
        for method in sorted(self._methods.values(), key=lambda m: m.node.lineno):
            begin, end = self._lines(method.node)
            gone.append((begin, end))
            more, where = self._dedented(text, method.node, begin, end)
            blank = [where[0]] * 2
            lines += ["", "", *more]
            origins += [*blank, *where]
        last = owner.end_lineno or owner.lineno
        text = text.spliced(last + 1, last, lines, origins)
        for begin, end in sorted(gone, reverse=True):
            text = self._without(text, begin, end)
        return text

    def _lines(self, node: ast.FunctionDef) -> tuple[int, int]:
        """A method's lines, with its decorators and the comment above."""
        begin = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        while self._text.lines[begin - 2].strip().startswith("#"):
            begin -= 1
        return begin, node.end_lineno or node.lineno

    def _dedented(
        self, text: Text, node: ast.FunctionDef, begin: int, end: int
    ) -> tuple[list[str], list[int]]:
        verbatim: set[int] = set()
        for statement in node.body:
            if not _is_text(statement):
                verbatim |= inside_strings(statement)
        decorators = {d.lineno for d in node.decorator_list}
        indent = text.lines[node.lineno - 1][: node.col_offset]
        lines: list[str] = []
        origins: list[int] = []
        for number in range(begin, end + 1):
            if number in decorators:
                continue
            line = text.lines[number - 1]
            if number not in verbatim and line.startswith(indent):
                line = line[len(indent) :]
            lines.append(line)
            origins.append(text.origins[number - 1])
        return lines, origins

    def _without(self, text: Text, begin: int, end: int) -> Text:
        """The text without some lines of a class, which may not be left empty."""
        home = next(
            c
            for c in self._scopes.tree.body
            if isinstance(c, ast.ClassDef) and c.lineno < begin <= (c.end_lineno or 0)
        )
        members = {m.node for m in self._methods.values()}
        if all(member in members for member in home.body):
            first = home.body[0]
            assert isinstance(first, ast.FunctionDef)
            if self._lines(first)[0] == begin:
                indent = text.lines[first.lineno - 1][: first.col_offset]
                line = [indent + "pass"]
                return text.spliced(begin, end, line, [text.origins[begin - 1]])
        while begin > 2 and not text.lines[begin - 2].strip():
            begin -= 1
        if text.lines[begin - 2].rstrip().endswith(":"):  # The class's first.
            while end < len(text.lines) and not text.lines[end].strip():
                end += 1
        return text.spliced(begin, end, [], [])


def _apart(text: Text) -> Text:
    """Lines that edits have made longer than one."""
    lines: list[str] = []
    origins: list[int] = []
    for line, origin in zip(text.lines, text.origins):
        several = line.split("\n")
        lines += several
        origins += [origin] * len(several)
    return Text(tuple(lines), tuple(origins))


def _with_functools(text: Text) -> Text:
    """The text with `import functools`."""
    tree = ast.parse(text.source)
    scopes = Scopes(tree)
    bound = scopes.module.bindings.get("functools", [])
    if bound:
        if all(isinstance(b, ast.Import) for b in bound):
            return text
        raise Unsettled(bound[0], "the name functools is taken")
    imports = [
        s
        for s in tree.body
        if isinstance(s, ast.Import)
        or (isinstance(s, ast.ImportFrom) and s.module != "__future__")
    ]
    at = imports[0].lineno
    return text.spliced(at, at - 1, ["import functools"], [text.origins[at - 1]])


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    """Tokens that mean something, in order."""
    return [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
        and token.type not in (tokenize.INDENT, tokenize.DEDENT)
    ]


def _snake(name: str) -> str:
    return _WORD.sub("_", name).lower().strip("_")


def _begin(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _point(line: int, column: int) -> ast.AST:
    """A node of no width."""
    return _span((line, column), (line, column))


def _span(begin: tuple[int, int], end: tuple[int, int]) -> ast.AST:
    """A node of a place."""
    node = ast.Constant(None)
    node.lineno, node.col_offset = begin
    node.end_lineno, node.end_col_offset = end
    return node


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
