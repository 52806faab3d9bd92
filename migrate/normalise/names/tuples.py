"""TF1 to TF1: what one statement binds is bound by a statement each.

Placeholders: `x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)`; other names of
placeholders: `out, inputs = network(x), x`; attributes that are names:
`self.sess, self.model = sess, model`; and objects: `online, target = Net("a"), Net("b")`.

What a tuple of names is unpacked into are the names in it: `x, y = model` after
`model = inputs, targets`.

So are objects that a list or a dict holds, if the program only takes them out of it:

    nets = [Net(name) for name in ("a", "b")]         online = Net("a")
    online, target = nets                             target = Net("b")
    losses = [net.loss for net in nets]               losses = [online.loss, target.loss]
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.normalise.feeds.comprehensions import replace_names
from migrate.normalise.feeds.view import Unclear, View
from migrate.normalise.names.displays import bind_steadily
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import list_children, parse_source, walk_breadth_first
from migrate.tables import roles

# Nobody could read a longer list.
_MOST = 16
# Functions that take all that a generator gives, in its order.
_TAKES_ALL = frozenset({"list", "max", "min", "sorted", "sum", "tuple"})

Pairs = Callable[[Scopes, ast.Assign], list[tuple[str, ast.expr]]]


def split_placeholders(text: Text) -> Text:
    """The text with statements that make placeholders taken apart."""
    return (
        _split_tuples(text, _find_placeholders) if "laceholder" in text.source else text
    )


def split_other_names(text: Text) -> Text:
    """The text with statements that give a placeholder another name taken apart."""
    return (
        _split_tuples(text, _find_other_names) if "laceholder" in text.source else text
    )


def split_attributes(text: Text) -> Text:
    """The text with statements that keep names as attributes taken apart."""
    return _split_tuples(text, _find_kept_names)


def split_objects(text: Text) -> Text:
    """The text with statements that make objects of the module's classes taken apart."""
    return _split_tuples(text, _find_objects) if "class " in text.source else text


def name_unpacked(text: Text) -> Text:
    """The text in which the parts of a tuple of names keep these, where it is unpacked."""
    return repeat_step(text, _name_one_unpacked)


def _name_one_unpacked(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for statement in scopes.walk():
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Name() as whole
            ) if text.is_alone(statement):
                pass
            case _:
                continue
        parts = _find_tuple(scopes, whole)
        if parts is None or len(parts) != len(targets):
            continue
        edits: list[Edit] = []
        for target, part in zip(targets, parts):
            reads = _find_reads_of_only_name(scopes, target, part)
            if reads is None:
                break
            edits += [Edit(read, part.id) for read in reads]
        else:
            suite = names.find_suite(scopes.parents[statement], statement) or []
            indent = text.find_indentation(statement)
            left = [f"{indent}pass"] * (len(suite) == 1)
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            origins = [text.origins[first - 1]] * len(left)
            return text.apply_edits(edits).splice(first, last, left, origins)
    return None


def _find_tuple(scopes: Scopes, whole: ast.Name) -> list[ast.Name] | None:
    """The names in the tuple that a name holds, if they always mean the same."""
    owner = scopes.find_scope(whole).find_owner(whole.id)
    match owner.bindings[whole.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Tuple(elts=elts)) as made]:
            pass
        case _:
            return None
    parts = [part for part in elts if isinstance(part, ast.Name)]
    steady = all(
        (home := scopes.find_scope(part).find_owner(part.id)) is not None
        and len(home.bindings[part.id]) == 1
        and not _is_shared(scopes, part.id)
        and not any(
            isinstance(above, (ast.For, ast.While, ast.Try))
            for above in scopes.walk_above(home.bindings[part.id][0])
        )
        for part in parts
    )
    looped = any(isinstance(a, (ast.For, ast.While)) for a in scopes.walk_above(made))
    known = len(parts) == len(elts) and steady and not looped
    return parts if known and not _is_shared(scopes, whole.id) else None


def _is_shared(scopes: Scopes, name: str) -> bool:
    return any(
        isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names
        for node in scopes.walk()
    )


def _find_reads_of_only_name(
    scopes: Scopes, target: ast.expr, part: ast.Name
) -> list[ast.Name] | None:
    """The reads of a name that is bound only here; None if they may read something else."""
    if not isinstance(target, ast.Name) or _is_shared(scopes, target.id):
        return None
    scope = scopes.find_scope(target)
    if isinstance(scope.node, ast.ClassDef) or scope.find_owner(target.id) is not scope:
        return None
    home = scopes.find_scope(part).find_owner(part.id)
    reads = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == target.id
        and not isinstance(node.ctx, ast.Store)
        and scopes.find_scope(node).find_owner(node.id) is scope
    ]
    if not reads:
        return []
    if len(scope.bindings[target.id]) != 1:
        return None
    known = all(
        isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(part.id) is home
        for node in reads
    )
    return reads if known else None


def name_listed_objects(text: Text) -> Text:
    """The text in which objects that a list or a dict holds have names instead."""
    # A list of towers is taken apart elsewhere.
    if "class " not in text.source or "compute_gradients" in text.source:
        return text
    return repeat_step(_split_tuples(text, _find_taken), _name_one_list)


def _name_one_list(text: Text) -> Text | None:
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
                ) if _makes_object(view.scopes, element):
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
        if not all(_makes_object(self._view.scopes, part) for part in parts):
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
    found = _list_pairs(statement)
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


def _split_tuples(text: Text, pairs: Pairs) -> Text:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    found = [
        node
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and text.is_alone(node)
        and not find_lines_inside_strings(node)
        and pairs(scopes, node)
    ]
    for statement in sorted(found, key=lambda s: s.lineno, reverse=True):
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        lines = [
            f"{indent}{target} = {ast.unparse(value)}"
            if "\n" in text.find_segment(value)
            else f"{indent}{target} = {text.find_segment(value)}"
            for target, value in pairs(scopes, statement)
        ]
        origin = text.origins[statement.lineno - 1]
        last = statement.end_lineno or statement.lineno
        text = text.splice(statement.lineno, last, lines, [origin] * len(lines))
    return text


def _find_placeholders(
    scopes: Scopes, statement: ast.Assign
) -> list[tuple[str, ast.expr]]:
    """The placeholders of a statement that makes nothing else, by their names."""
    found = _list_pairs(statement)
    if all(
        isinstance(t, (ast.Name, ast.Attribute))
        and isinstance(v, ast.Call)
        and scopes.resolve(v.func) in roles.PLACEHOLDERS
        for t, v in found
    ):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _find_other_names(
    scopes: Scopes, statement: ast.Assign
) -> list[tuple[str, ast.expr]]:
    """What a statement binds, if it gives a placeholder another name."""
    found = _list_pairs(statement)
    bound: set[str] = set()
    for target, value in found:
        reads = {n.id for n in walk_breadth_first(value) if isinstance(n, ast.Name)}
        if not isinstance(target, ast.Name) or reads & bound:
            return []
        bound.add(target.id)
    if any(_is_name_of_placeholder(scopes, value) for _, value in found):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _is_name_of_placeholder(scopes: Scopes, value: ast.expr) -> bool:
    if not isinstance(value, ast.Name):
        return False
    owner = scopes.find_scope(value).find_owner(value.id)
    match owner.bindings[value.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call() as made)]:
            return scopes.resolve(made.func) in roles.PLACEHOLDERS
    return False


def _find_kept_names(
    scopes: Scopes, statement: ast.Assign
) -> list[tuple[str, ast.expr]]:
    """Lists the attributes that a statement assigns, with the names they keep."""
    found = _list_pairs(statement)
    if all(
        isinstance(t, ast.Attribute)
        and isinstance(t.value, ast.Name)
        and isinstance(v, (ast.Name, ast.Constant))
        for t, v in found
    ):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _find_objects(scopes: Scopes, statement: ast.Assign) -> list[tuple[str, ast.expr]]:
    """What a statement binds, if it makes an object of a class of the module.

    Each name is bound only there, so that no value is computed of an earlier one.
    """
    found = _list_pairs(statement)
    bound = {t.id for t, _ in found if isinstance(t, ast.Name)}
    owner = scopes.find_scope(statement)
    if isinstance(owner.node, ast.ClassDef):
        return []
    for target, value in found:
        if not isinstance(target, ast.Name) or isinstance(value, ast.Starred):
            return []
        if target.id in owner.outer_names or len(owner.bindings[target.id]) != 1:
            return []
        if any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(value)):
            return []
    if any(_makes_object(scopes, value) for _, value in found):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _makes_object(scopes: Scopes, value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return False
    owner = scopes.find_scope(value.func).find_owner(value.func.id)
    match owner.bindings[value.func.id] if owner is not None else []:
        case [ast.ClassDef()]:
            return owner is scopes.module
    return False


def _list_pairs(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and values of a statement with as many of both."""
    target, value = statement.targets[0], statement.value
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
    ):
        return list(zip(target.elts, value.elts))
    return []
