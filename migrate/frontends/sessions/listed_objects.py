"""Gives objects that a list or a dict holds names, if the program only takes them out.

    nets = [Net(name) for name in ("a", "b")]         online = Net("a")
    online, target = nets                             target = Net("b")
    losses = [net.loss for net in nets]               losses = [online.loss, target.loss]

A list that is changed or given away stays.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.normalise.feeds.comprehensions import replace_names
from migrate.normalise.feeds.view import Unclear, View
from migrate.normalise.names.displays import bind_steadily
from migrate.normalise.names.tuples import list_pairs, makes_object, split_tuples
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import list_children, walk_breadth_first

# Nobody could read a longer list.
_MOST = 16
# Functions that take all that a generator gives, in its order.
_TAKES_ALL = frozenset({"list", "max", "min", "sorted", "sum", "tuple"})


def name_objects(text: Text) -> Text:
    """The text in which objects that a list or a dict holds have names instead."""
    # A list of towers is taken apart elsewhere.
    if "class " not in text.source or "compute_gradients" in text.source:
        return text
    return repeat_step(split_tuples(text, _find_taken), _name_one)


def _name_one(text: Text) -> Text | None:
    view = View(text)
    for node in view.scopes.walk():
        if not (isinstance(node, ast.Assign) and text.is_alone(node)):
            continue
        try:
            match node:
                case ast.Assign(targets=[ast.Name()]):
                    return _Listed(view, node).write()
                case ast.Assign(
                    targets=[ast.Tuple()],
                    value=ast.ListComp(elt=element, generators=[generator]) as listed,
                ) if makes_object(view.scopes, element):
                    written = _write_out(view, generator, element)
                    new = ", ".join(ast.unparse(value) for (value,) in written)
                    return text.apply_edits([Edit(listed, f"[{new}]")])
        except Unclear:
            continue
    return None


class _Listed:
    """A list, a tuple or a dict of objects.

    Raises:
      Unclear: it holds something else, or is not only taken apart.
    """

    def __init__(self, view: View, made: ast.Assign) -> None:
        assert isinstance(made.targets[0], ast.Name)
        self._view, self._made, self._name = view, made, made.targets[0].id
        self._scope: Scope = view.scopes.find_scope(made.targets[0])
        self._members = self._list_members(made.value)
        above = list(view.scopes.walk_above(made))
        if (
            not 0 < len(self._members) <= _MOST
            or len(self._scope.bindings.get(self._name, ())) != 1
            or isinstance(self._scope.node, ast.ClassDef)
            or any(isinstance(a, (ast.For, ast.While, ast.Try)) for a in above)
            or find_lines_inside_strings(made)
        ):
            raise Unclear
        self._names: dict[object, str] = {}
        self._taking: dict[ast.Assign, list[tuple[str, object]]] = {}

    def _list_members(self, value: ast.expr) -> dict[object, ast.expr]:
        """The objects by their places or keys, in the order in which they are made."""
        match value:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                self._check(*parts)
                return dict(enumerate(parts))
            case ast.Dict(keys=keys, values=parts):
                self._check(*parts)
                pairs = [(names.read_literal(k), v) for k, v in zip(keys, parts)]
            case ast.ListComp(elt=element, generators=[generator]):
                self._check(element)
                written = _write_out(self._view, generator, element)
                return dict(enumerate(v for (v,) in written))
            case ast.DictComp(key=key, value=element, generators=[generator]):
                self._check(element)
                written = _write_out(self._view, generator, key, element)
                pairs = [(names.read_literal(k), v) for k, v in written]
            case _:
                raise Unclear
        if len({k for k, _ in pairs if isinstance(k, (int, str))}) != len(pairs):
            raise Unclear
        return dict(pairs)

    def _check(self, *parts: ast.expr) -> None:
        if not all(makes_object(self._view.scopes, part) for part in parts):
            raise Unclear

    def write(self) -> Text:
        """The text with a name for each object."""
        edits: list[Edit] = []
        uses = [
            n
            for n in self._view.scopes.walk()
            if isinstance(n, ast.Name)
            and n.id == self._name
            and self._view.scopes.find_scope(n).find_owner(n.id) is self._scope
            and n not in self._made.targets
        ]
        if not uses or not all(isinstance(n.ctx, ast.Load) for n in uses):
            raise Unclear
        for node in uses:
            self._note_taking(node)
        for key in self._members:
            if key not in self._names:
                wish = f"{self._name}_{key}"
                if not wish.isidentifier():
                    raise Unclear
                self._names[key] = self._view.choose_free_name(wish, self._view.tree)
        for node in uses:
            edits += self._edit_use(node)
        return self._write_statements(self._view.text.apply_edits(edits))

    def _note_taking(self, node: ast.Name) -> None:
        """Notes a statement that gives an object a name, and that name where it is free."""
        above = self._view.scopes.parents[node]
        taken: list[tuple[ast.expr, object]]
        statement: ast.Assign
        match above:
            case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
                statement = above
                keys = list(self._members)
                if keys != list(range(len(parts))):
                    raise Unclear
                taken = list(zip(parts, keys))
            case ast.Subscript(slice=ast.Constant() as part):
                outer = self._view.scopes.parents[above]
                match outer:
                    case ast.Assign(targets=[ast.Name() as only]):
                        statement, taken = outer, [(only, part.value)]
                    case _:
                        return
            case _:
                return
        if not self._view.text.is_alone(statement):
            raise Unclear
        for target, key in taken:
            if not isinstance(target, ast.Name) or key not in self._members:
                raise Unclear
            scope = self._view.scopes.find_scope(target)
            if (
                scope is self._scope
                and len(scope.bindings[target.id]) == 1
                and target.id not in scope.outer_names
                and key not in self._names
                and statement in self._view.find_suite(self._made)
                and statement.lineno > self._made.lineno
            ):
                self._names[key] = target.id
            self._taking.setdefault(statement, []).append((target.id, key))

    def _edit_use(self, node: ast.Name) -> list[Edit]:
        """Edits for one use; none where its statement is written anew."""
        above = self._view.scopes.parents[node]
        outer = self._view.scopes.parents.get(above)
        if above in self._taking or outer in self._taking:
            return []
        match above:
            case ast.Subscript(slice=part, ctx=ast.Load()) if above.value is node:
                key = names.read_literal(part)
                if isinstance(key, bool) or key not in self._members:
                    raise Unclear
                return [Edit(node=above, new=self._names[key])]
            case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]):
                return [Edit(above, str(len(self._members)))]
            case ast.Attribute(attr="values" | "items" as method, value=value):
                if not (
                    value is node
                    and isinstance(outer, ast.Call)
                    and outer.func is above
                    and not (outer.args or outer.keywords)
                ):
                    raise Unclear
                return [self._write_comprehension(outer, method)]
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                return [self._write_comprehension(node, "")]
        raise Unclear

    def _write_comprehension(self, over: ast.expr, method: str) -> Edit:
        """Writes a comprehension over the objects as a list or a dict.

        Args:
          over: what it goes over.
          method: the dict's method that gives it; "" for the list itself.
        """
        whole = self._view.scopes.parents[over]
        is_dict = isinstance(self._made.value, (ast.Dict, ast.DictComp))
        match whole:
            case (
                ast.ListComp(generators=[generator])
                | ast.GeneratorExp(generators=[generator])
                | ast.DictComp(generators=[generator])
            ) if generator.iter is over and is_dict == bool(method):
                pass
            case _:
                raise Unclear
        if generator.ifs or generator.is_async:
            raise Unclear
        items: list[ast.expr] = []
        for key in self._members:
            named = ast.Name(self._names[key], ast.Load())
            pair: list[ast.expr] = [ast.Constant(key), named]  # type: ignore[arg-type]
            items.append(ast.Tuple(pair, ast.Load()) if method == "items" else named)
        inside = [n for n in list_children(whole) if isinstance(n, ast.expr)]
        _check_nothing_waits(*inside)
        bound = [bind_steadily(self._view, generator.target, item) for item in items]
        match whole:
            case ast.ListComp(generators=[_]) | ast.GeneratorExp(generators=[_]):
                written = [ast.unparse(replace_names(whole.elt, b)) for b in bound]
                new = f"[{', '.join(written)}]"
            case ast.DictComp(generators=[_]):
                entries = [
                    f"{ast.unparse(replace_names(whole.key, b))}: "
                    f"{ast.unparse(replace_names(whole.value, b))}"
                    for b in bound
                ]
                new = f"{{{', '.join(entries)}}}"
            case _:
                raise Unclear
        if isinstance(whole, ast.GeneratorExp):
            match self._view.scopes.parents[whole]:
                case ast.Call(func=ast.Name(id=function), args=[_], keywords=[]) if (
                    function in _TAKES_ALL
                ):
                    new = f"({new})"
                case _:
                    raise Unclear
        return Edit(whole, new)

    def _write_statements(self, text: Text) -> Text:
        """The text with a statement for each object, and without what took them out."""
        made, view = self._made, self._view
        changes: list[tuple[ast.Assign, list[str]]] = [
            (
                made,
                [
                    f"{self._names[key]} = {ast.unparse(value)}"
                    for key, value in self._members.items()
                ],
            )
        ]
        for statement, taken in self._taking.items():
            other = [
                f"{name} = {self._names[key]}"
                for name, key in taken
                if name != self._names[key]
            ]
            suite = view.find_suite(statement)
            changes.append((statement, other or ["pass"] * (len(suite) == 1)))
        for statement, lines in sorted(changes, key=lambda c: -c[0].lineno):
            indent = view.indent(statement)
            origin = view.text.origins[statement.lineno - 1]
            text = text.splice(
                statement.lineno,
                statement.end_lineno or statement.lineno,
                [indent + line for line in lines],
                [origin] * len(lines),
            )
        return text


def _write_out(
    view: View, over: ast.comprehension, *parts: ast.expr
) -> list[list[ast.expr]]:
    """What a comprehension computes in each round."""
    match over:
        case ast.comprehension(
            iter=ast.List(elts=items) | ast.Tuple(elts=items), ifs=[], is_async=0
        ):
            pass
        case ast.comprehension(
            iter=ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Constant(int(last))],
                keywords=[],
            ),
            ifs=[],
            is_async=0,
        ) if last <= _MOST and "range" not in view.scopes.module.bindings:
            items = [ast.Constant(number) for number in range(last)]
        case ast.comprehension(iter=ast.Name() as listed, ifs=[], is_async=0):
            items = _list_constants(view.scopes, listed)
        case _:
            raise Unclear
    _check_nothing_waits(*parts)
    bound = [bind_steadily(view, over.target, item) for item in items]
    return [[replace_names(part, given) for part in parts] for given in bound]


def _list_constants(scopes: Scopes, name: ast.Name) -> list[ast.expr]:
    """The constants of a tuple that a name is bound to once.

    Raises:
      Unclear: it is something else, or a list, which may change.
    """
    owner = scopes.find_scope(name).find_owner(name.id)
    match owner.bindings[name.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Tuple(elts=items))]:
            if all(isinstance(item, ast.Constant) for item in items):
                return items
        case [ast.Assign(targets=[ast.Name()], value=ast.List(elts=items))]:
            over = [
                n
                for n in scopes.walk()
                if isinstance(n, ast.Name)
                and n.id == name.id
                and isinstance(n.ctx, ast.Load)
                and not _goes_over(scopes.parents[n], n)
            ]
            if not over and all(isinstance(item, ast.Constant) for item in items):
                return items
    raise Unclear


def _goes_over(loop: ast.AST, name: ast.Name) -> bool:
    """Whether a loop or a comprehension goes over what a name holds."""
    if isinstance(loop, ast.For):
        return loop.iter is name
    generators = getattr(loop, "generators", [loop])
    return any(getattr(each, "iter", None) is name for each in generators)


def _check_nothing_waits(*parts: ast.expr) -> None:
    """Refuses code that would read a comprehension's name later: it has the last value.

    Raises:
      Unclear: there is such code.
    """
    for part in parts:
        for node in walk_breadth_first(part):
            if isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.NamedExpr)):
                raise Unclear


def _find_taken(scopes: Scopes, statement: ast.Assign) -> list[tuple[str, ast.expr]]:
    """What a statement binds, if it takes all of it out of lists and dicts."""
    found = list_pairs(statement)
    bound = {t.id for t, _ in found if isinstance(t, ast.Name)}
    for target, value in found:
        match target, value:
            case ast.Name(), ast.Subscript(
                value=ast.Name(id=name), slice=ast.Constant()
            ):
                if name in bound:
                    return []
            case _:
                return []
    return [(ast.unparse(t), v) for t, v in found]
