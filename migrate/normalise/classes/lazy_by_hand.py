"""TF1 to TF1: properties that keep what they built by hand, with a decorator that does so.

    @property                               @_built_once
    def prediction(self):                   def prediction(self):
        if self._prediction is None:            ...
            ...                                 return logits
            self._prediction = logits
        return self._prediction

What the constructor sets to None is gone with it. The decorator is one that
`lazy_properties` knows, and takes away again.

A method may do the same, and go on after it kept the value: so objects open their session
when they first need it. Then the attribute is the property, and calls of the method read it.

    def get_session(self):                  @_built_once
        if self._sess is None:              def _sess(self):
            self._sess = tf.Session()           self._sess = tf.Session()
            self._sess.run(self.init)           self._sess.run(self.init)
        return self._sess
"""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

NAME = "_built_once"
_DECORATOR = (
    f"def {NAME}(function):",
    '    attribute = "_" + function.__name__',
    "    @property",
    "    def decorator(self):",
    "        if not hasattr(self, attribute):",
    "            setattr(self, attribute, function(self))",
    "        return getattr(self, attribute)",
    "    return decorator",
)


@dataclasses.dataclass(frozen=True)
class _ByHand:
    """Such a property.

    Attributes:
      asks: the `if` that builds it.
      keeps: the statement that keeps it, the last of the `if`, or of a `with` in it.
      gives: the statement that returns it.
      emptied: what sets it to None in the constructor.
    """

    method: ast.FunctionDef
    asks: ast.If
    keeps: ast.Assign
    gives: ast.Return
    emptied: tuple[ast.stmt, ...]


def decorate_properties(text: Text) -> Text:
    """The text with such properties decorated; the same text if there are none."""
    if "@property" not in text.source or NAME in text.source:
        return text
    tree = parse_source(text.source)
    found = [
        (owner, property_)
        for owner in tree.body
        if isinstance(owner, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef)
        and (property_ := _read_lazy_method(text, tree, owner, method)) is not None
    ]
    if not found:
        return text
    first = found[0][0]
    edits: list[tuple[int, int, list[str]]] = []
    for _, each in found:
        edits += _write_lines(text, each)
    start = min([first.lineno, *[d.lineno for d in first.decorator_list]])
    edits.append((start, start - 1, list(_DECORATOR)))
    for begin, end, lines in sorted(edits, key=lambda e: (-e[0], -e[1])):
        origin = text.origins[begin - 1]
        same = len(lines) == end - begin + 1
        origins = text.origins[begin - 1 : end] if same else [origin] * len(lines)
        text = text.splice(begin, end, lines, origins)
    return text


def _read_lazy_method(
    text: Text, tree: ast.Module, owner: ast.ClassDef, method: ast.FunctionDef
) -> _ByHand | None:
    """The method as a property that builds once; None if it is another one."""
    if [ast.unparse(d) for d in method.decorator_list] != ["property"]:
        return None
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    if len(body) != 2 or len(method.args.args) != 1:
        return None
    asks, gives = body
    own = method.args.args[0].arg
    if not (
        isinstance(asks, ast.If) and not asks.orelse and isinstance(gives, ast.Return)
    ):
        return None
    kept = names.find_key(gives.value) if gives.value is not None else None
    if kept is None or re.fullmatch(rf"{own}\.\w+", kept) is None:
        return None
    attribute = kept.partition(".")[2]
    asked = ast.unparse(asks.test)
    if asked not in (
        f"{kept} is None",
        f"not hasattr({own}, '{attribute}')",
    ):
        return None
    keeps: ast.stmt = asks.body[-1]
    while isinstance(keeps, ast.With):
        keeps = keeps.body[-1]
    if not (
        isinstance(keeps, ast.Assign)
        and len(keeps.targets) == 1
        and names.find_key(keeps.targets[0]) == kept
        and text.is_alone(keeps)
        and not find_lines_inside_strings(asks)
        and asks.body[0].lineno > asks.lineno
    ):
        return None
    if any(isinstance(n, (ast.Return, ast.Yield)) for n in walk_breadth_first(asks)):
        return None
    emptied = _find_empty_attribute(text, owner, attribute)
    if emptied is None:
        return None
    uses = [
        n
        for n in walk_breadth_first(owner)
        if isinstance(n, ast.Attribute) and n.attr == attribute
    ]
    if any(
        isinstance(n, ast.Attribute)
        and n.attr == attribute
        and names.find_key(n.value) != own
        for n in walk_breadth_first(tree)
    ):
        return None  # Somebody else looks at it.
    # What asks, keeps and gives it; the constructor sets it where `is None` is asked.
    asking = asked.endswith("is None")
    if len(uses) != 2 + asking + len(emptied) or len(emptied) != asking:
        return None
    return _ByHand(method, asks, keeps, gives, emptied)


def decorate_openers(text: Text) -> Text:
    """The text with each such method that goes on after it kept the value, decorated."""
    return repeat_step(text, _decorate_first_opener, "is None")


@dataclasses.dataclass(frozen=True)
class _Opener:
    """A method, perhaps a property, that makes a value if there is none yet.

    Attributes:
      attribute: what keeps the value.
      asks: the `if` that makes it.
      emptied: what sets the attribute to None.
    """

    method: ast.FunctionDef
    attribute: str
    asks: ast.If
    emptied: ast.stmt

    @property
    def own(self) -> str:
        return self.method.args.args[0].arg

    @property
    def is_property(self) -> bool:
        return bool(self.method.decorator_list)

    @property
    def name(self) -> str:
        """The name of the property that it becomes."""
        return self.method.name if self.is_property else self.attribute


def _decorate_first_opener(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for owner in scopes.tree.body:
        for method in owner.body if isinstance(owner, ast.ClassDef) else ():
            if isinstance(owner, ast.ClassDef) and isinstance(method, ast.FunctionDef):
                opener = _read_opener(text, scopes, owner, method)
                if opener is None:
                    continue
                edits = _edit_uses(scopes, opener)
                if edits is not None:
                    return _write_opener(text, owner, opener, edits)
    return None


def _read_opener(
    text: Text, scopes: Scopes, owner: ast.ClassDef, method: ast.FunctionDef
) -> _Opener | None:
    """The method as an opener; None if it is another one."""
    if [ast.unparse(d) for d in method.decorator_list] not in ([], ["property"]):
        return None
    arguments = method.args
    body = method.body[ast.get_docstring(method) is not None :]
    asks = body[0] if body else None
    if (
        len(arguments.args) != 1
        or arguments.posonlyargs
        or arguments.kwonlyargs
        or arguments.vararg
        or arguments.kwarg
        or not isinstance(asks, ast.If)
        or asks.orelse
        or len(body) > 2
        or find_lines_inside_strings(asks)
        or asks.body[0].lineno == asks.lineno
        or asks.test.end_lineno != asks.lineno
    ):
        return None
    own = arguments.args[0].arg
    shown = re.fullmatch(rf"{own}\.(\w+) is None", ast.unparse(asks.test))
    if shown is None:
        return None
    attribute = shown[1]
    if len(body) == 2 and ast.unparse(body[1]) != f"return {own}.{attribute}":
        return None
    if method.decorator_list and len(body) == 1:
        return None
    if not _keeps_session(scopes, owner, asks, f"{own}.{attribute}", own):
        return None
    emptied = [
        n
        for n in walk_breadth_first(owner)
        if isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Constant)
        and n.value.value is None
        and [names.find_key(t) for t in n.targets]
        in ([f"{own}.{attribute}"], [attribute])
    ]
    if len(emptied) != 1 or not text.is_alone(emptied[0]):
        return None
    home = scopes.parents[emptied[0]]
    if home is not owner and not (
        isinstance(home, ast.FunctionDef)
        and home.name == "__init__"
        and scopes.parents[home] is owner
        and ast.unparse(emptied[0].targets[0]).startswith(f"{own}.")
    ):
        return None
    if len(home.body) == 1:
        return None  # It would have no body.
    return _Opener(method, attribute, asks, emptied[0])


def _keeps_session(
    scopes: Scopes, owner: ast.ClassDef, asks: ast.If, kept: str, own: str
) -> bool:
    """Whether the branch opens one session, keeps it, and may go on."""
    suite = asks.body
    while len(suite) == 1 and isinstance(suite[0], ast.With):
        suite = suite[0].body
    stores = [
        n
        for n in walk_breadth_first(asks)
        if isinstance(n, ast.Attribute)
        and not isinstance(n.ctx, ast.Load)
        and names.find_key(n) == kept
    ]
    keeps = [
        s
        for s in suite
        if isinstance(s, ast.Assign)
        and [names.find_key(t) for t in s.targets] == [kept]
        and isinstance(s.value, ast.Call)
        and scopes.resolve(s.value.func) in roles.PLAIN_SESSIONS
    ]
    if len(keeps) != 1 or len(stores) != 1:
        return False
    methods = {m.name for m in owner.body if isinstance(m, ast.FunctionDef)}
    for statement in (*suite[: suite.index(keeps[0])], keeps[0].value):
        if any(
            isinstance(n, ast.Attribute) and n.attr in methods
            for n in walk_breadth_first(statement)
        ):
            return False  # It may ask for the session before there is one.
    return not any(
        isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await))
        or (
            isinstance(n, ast.Name)
            and n.id == own
            and not isinstance(scopes.parents[n], ast.Attribute)
        )
        for n in walk_breadth_first(asks)
    )


def _edit_uses(scopes: Scopes, opener: _Opener) -> list[Edit] | None:
    """Edits that make each use of an opener a read of the property.

    None if a use may tell whether there is a value yet.
    """
    own_words = {opener.attribute, opener.method.name}
    for other in walk_breadth_first(scopes.tree):
        if isinstance(other, ast.FunctionDef) and other.name in own_words:
            if other is not opener.method:
                return None
        elif isinstance(other, ast.Constant) and other.value in own_words:
            return None
    edits: list[Edit] = []
    asked = opener.asks.test
    assert isinstance(asked, ast.Compare)
    left_out = {asked.left, *walk_breadth_first(opener.emptied)}
    last = opener.method.body[-1]
    if isinstance(last, ast.Return):
        left_out |= set(walk_breadth_first(last))
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.Attribute) or node.attr not in own_words:
            continue
        if node in left_out:
            continue
        if not isinstance(node.value, ast.Name) or node.end_lineno != node.lineno:
            return None
        around = scopes.parents[node]
        whole: ast.expr = node
        if node.attr == opener.attribute and not isinstance(node.ctx, ast.Load):
            if opener.asks not in _list_around(scopes, node):
                return None  # It is kept anew somewhere.
        elif node.attr == opener.method.name and not opener.is_property:
            if not (
                isinstance(around, ast.Call)
                and around.func is node
                and not (around.args or around.keywords)
                and around.end_lineno == node.lineno
            ):
                return None
            whole, around = around, scopes.parents[around]
            if not _uses_at_once(whole, around) and not isinstance(around, ast.Expr):
                return None
        elif not _uses_at_once(node, around):
            return None
        edits.append(Edit(whole, f"{node.value.id}.{opener.name}"))
    return edits


def _uses_at_once(node: ast.expr, around: ast.AST) -> bool:
    """Whether code asks the value for something, or gives it to a call."""
    return isinstance(around, ast.Attribute) or (
        isinstance(around, ast.Call) and node in around.args
    )


def _list_around(scopes: Scopes, node: ast.AST) -> list[ast.AST]:
    found = []
    while node in scopes.parents:
        node = scopes.parents[node]
        found.append(node)
    return found


def _write_opener(
    text: Text, owner: ast.ClassDef, opener: _Opener, edits: list[Edit]
) -> Text:
    """The text with the opener decorated, and the decorator before its class."""
    text = text.apply_edits(edits)
    method, asks = opener.method, opener.asks
    outer, inner = asks.col_offset, asks.body[0].col_offset
    last = asks.end_lineno or asks.lineno
    suite = [
        line if line[outer:inner].strip() else line[:outer] + line[inner:]
        for line in text.lines[asks.lineno : last]
    ]
    indent = text.find_indentation(method)
    head = text.lines[method.lineno - 1].replace(
        f"def {method.name}", f"def {opener.name}", 1
    )
    first = min([method.lineno, *[d.lineno for d in method.decorator_list]])
    start = min([owner.lineno, *[d.lineno for d in owner.decorator_list]])
    emptied, at = opener.emptied, method.body[-1]
    changes: list[tuple[int, int, list[str], int]] = [
        (first, method.lineno - 1, [f"{indent}@{NAME}"], first),
        (method.lineno, method.lineno, [head], method.lineno),
        (asks.lineno, at.end_lineno or at.lineno, suite, asks.lineno + 1),
        (emptied.lineno, emptied.end_lineno or emptied.lineno, [], 0),
    ]
    if NAME not in text.source:
        changes.append((start, start - 1, list(_DECORATOR), 0))
    for begin, end, lines, origin in sorted(changes, key=lambda e: (-e[0], -e[1])):
        places = text.origins[origin - 1 :] if origin else ()
        origins = [*places[: len(lines)], *[text.origins[begin - 1]] * len(lines)]
        text = text.splice(begin, end, lines, origins[: len(lines)])
    return text


def _find_empty_attribute(
    text: Text, owner: ast.ClassDef, attribute: str
) -> tuple[ast.stmt, ...] | None:
    """`self._prediction = None` of the constructor, which has more than these."""
    found: list[ast.stmt] = []
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        found += [
            s
            for s in method.body
            if isinstance(s, ast.Assign)
            and len(s.targets) == 1
            and isinstance(s.targets[0], ast.Attribute)
            and s.targets[0].attr == attribute
            and isinstance(s.value, ast.Constant)
            and s.value.value is None
        ]
        if all(
            isinstance(getattr(s, "value", None), ast.Constant) for s in method.body
        ):
            return None
    return tuple(found) if all(text.is_alone(s) for s in found) else None


def _write_lines(text: Text, each: _ByHand) -> list[tuple[int, int, list[str]]]:
    """Lines of the text, and what stands for them."""
    decorator = each.method.decorator_list[0]
    asks, keeps = each.asks, each.keeps
    outer, inner = asks.col_offset, asks.body[0].col_offset
    last = asks.end_lineno or asks.lineno
    lines = [
        line[:outer] + line[inner:] if line.strip() else line
        for line in text.lines[asks.lineno : last]
    ]
    at = keeps.lineno - asks.lineno - 1
    old = text.lines[keeps.lineno - 1]
    start = keeps.col_offset - (inner - outer)
    lines[at] = old[:start] + "return " + old[keeps.value.col_offset :]
    indent = text.lines[decorator.lineno - 1][: decorator.col_offset - 1]
    found = [
        (decorator.lineno, decorator.lineno, [f"{indent}@{NAME}"]),
        (asks.lineno, each.gives.end_lineno or each.gives.lineno, lines),
    ]
    found += [(s.lineno, s.end_lineno or s.lineno, []) for s in each.emptied]
    return found
