"""TF1 to TF1: feeds written out where they are used, their values computed once.

A program may build its `feed_dict` before the call and use it several times, add to
it by `feed[x] = batch`, or have a function make it (`fill_feed_dict`, a trainer's
`_feed`). Here every value gets a name where it is computed, a function gives the
values and not a dict, and each call reads `feed_dict={x: x_feed, y: y_feed}`.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.effects import has_effect
from migrate.facts.scopes import Scope, Scopes
from migrate.normalise.text import Edit, Text, inside_strings

_ROUNDS = 50
Function = ast.FunctionDef | ast.Module


def written_out(text: Text) -> Text:
    """The text with such feeds written out; the same text where there are none."""
    for _ in range(_ROUNDS):
        new = _Feeds(text).step()
        if new is None:
            break
        text = new
    return text


@dataclasses.dataclass(frozen=True)
class _Store:
    """A statement that gives a feed values: all of them (`first`), or some more."""

    statement: ast.stmt
    pairs: tuple[tuple[ast.expr, ast.expr], ...]
    first: bool


class _Unclear(Exception):
    """The feed is used in a way that is not understood; it stays as it is."""


class _Feeds:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = ast.parse(text.source)
        self._scopes = Scopes(self._tree)
        self._named_now: set[str] = set()

    def step(self) -> Text | None:
        """One feed written out; None if none is left."""
        for call in ast.walk(self._tree):
            argument = _feed_argument(call)
            if argument is None:
                continue
            try:
                new = None
                if isinstance(argument, ast.Call):
                    new = self._hoisted(argument)
                elif isinstance(argument, ast.Name):
                    new = self._named(argument) or self._in_order(argument)
                elif isinstance(argument, ast.Dict):
                    new = self._in_order(argument)
            except _Unclear:
                continue
            if new is not None:
                return new
        return None

    # -- feed_dict=make_feed(...) ------------------------------------------------------

    def _hoisted(self, call: ast.Call) -> Text | None:
        """The call that makes a feed, in a statement of its own before."""
        if self._maker(call) is None:
            return None
        statement = self._statement(call)
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            return None
        if not self._text.alone(statement):
            return None
        for node in self._above(call):
            if isinstance(node, (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp)):
                return None
        name = self._fresh("feed", self._function(call))
        indent = self._indent(statement)
        line = f"{indent}{name} = {_flat(self._text, call)}"
        edited = self._text.edited([Edit(call, name)])
        return edited.spliced(
            statement.lineno,
            statement.lineno - 1,
            [line],
            [self._text.origins[call.lineno - 1]],
        )

    def _in_order(self, feed: ast.expr) -> Text | None:
        """Values that two or more calls compute: named in the order of the dict.

        A step function takes its feeds in the order of the placeholders, and only those
        it needs; what the calls do beside (draw from a generator) must not change.
        """
        where: ast.AST = feed
        if isinstance(feed, ast.Name):
            owner = self._scopes.scope_of(feed).owner(feed.id)
            bindings = owner.bindings.get(feed.id, []) if owner is not None else []
            if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
                return None
            where = bindings[0].value
        pairs = _pairs(where) if isinstance(where, ast.Dict) else None
        if pairs is None:
            return None
        drawn = [
            (key, value) for key, value in pairs if has_effect(value, self._scopes)
        ]
        if len(drawn) < 2:
            return None
        statement = self._statement(where)
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            return None
        if not self._text.alone(statement):
            return None
        for node in self._above(where):
            if isinstance(node, (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp)):
                return None
        indent, function = self._indent(statement), self._function(where)
        lines: list[str] = []
        edits: list[Edit] = []
        for key, value in drawn:
            spelled = (names.key(key) or "value").rpartition(".")[2]
            name = self._fresh(f"{spelled}_feed", function)
            lines.append(f"{indent}{name} = {_flat(self._text, value)}")
            edits.append(Edit(value, name))
        origin = self._text.origins[statement.lineno - 1]
        return self._text.edited(edits).spliced(
            statement.lineno, statement.lineno - 1, lines, [origin] * len(lines)
        )

    # -- feed = ...; feed_dict=feed ----------------------------------------------------

    def _named(self, use: ast.Name) -> Text | None:
        scope = self._scopes.scope_of(use)
        owner = scope.owner(use.id)
        if owner is None or owner is not scope:
            return None
        bindings = owner.bindings[use.id]
        for binding in bindings:
            if (
                isinstance(binding, ast.Assign)
                and isinstance(binding.value, ast.Call)
                and self._maker(binding.value) is not None
            ):
                return self._made(binding, use.id, owner)
        stores, uses = self._stores(use.id, owner)
        if self._simple(stores, uses, owner):
            return None
        return self._scattered(use.id, stores, uses, owner)

    def _stores(self, name: str, scope: Scope) -> tuple[list[_Store], list[ast.Name]]:
        """Everything that happens to a feed in its function.

        Raises:
          _Unclear: something else happens to it.
        """
        stores: list[_Store] = []
        uses: list[ast.Name] = []
        for node in _in_scope(scope):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            parent = self._scopes.parents[node]
            if isinstance(node.ctx, ast.Store):
                if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
                    raise _Unclear
                pairs = _pairs(parent.value)
                if pairs is None:
                    raise _Unclear
                stores.append(_Store(parent, pairs, True))
            elif isinstance(parent, ast.Subscript) and isinstance(
                parent.ctx, ast.Store
            ):
                assignment = self._scopes.parents[parent]
                if (
                    not isinstance(assignment, ast.Assign)
                    or len(assignment.targets) != 1
                ):
                    raise _Unclear
                pair = (parent.slice, assignment.value)
                stores.append(_Store(assignment, (pair,), False))
            elif isinstance(parent, ast.Attribute) and parent.attr == "update":
                update = self._scopes.parents[parent]
                statement = self._scopes.parents.get(update)
                if not (
                    isinstance(update, ast.Call)
                    and isinstance(statement, ast.Expr)
                    and len(update.args) == 1
                    and not update.keywords
                ):
                    raise _Unclear
                pairs = _pairs(update.args[0])
                if pairs is None:
                    raise _Unclear
                stores.append(_Store(statement, pairs, False))
            elif self._is_feed(node) or isinstance(parent, ast.Return):
                uses.append(node)
            else:
                raise _Unclear
        return stores, uses

    def _is_feed(self, node: ast.expr) -> bool:
        for above in self._above(node):
            if isinstance(above, ast.Call):
                return _feed_argument(above) is node
        return False

    def _simple(self, stores: list[_Store], uses: list[ast.Name], scope: Scope) -> bool:
        """Whether the display can as well stand at its uses: nothing changes between."""
        if len(stores) != 1:
            return False
        if all(self._stable(v, scope) for _, v in stores[0].pairs):
            return True
        suite = self._suite(stores[0].statement)
        following = suite[suite.index(stores[0].statement) + 1 :][:1]
        return len(uses) == 1 and following == [self._statement(uses[0])]

    def _stable(self, value: ast.expr, scope: Scope) -> bool:
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, ast.Name):
            owner = scope.owner(value.id)
            return owner is None or len(owner.bindings[value.id]) == 1
        return False

    def _scattered(
        self, name: str, stores: list[_Store], uses: list[ast.Name], scope: Scope
    ) -> Text:
        """Every value under a name of its own, every use a display of these names."""
        keys = self._keys(stores, uses)
        own: dict[str, str] = {}
        text = self._text
        edits: list[Edit] = []
        new_lines: dict[ast.stmt, list[str]] = {}
        overwritten = {
            ast.unparse(key)
            for store in stores
            for key, _ in store.pairs
            if sum(
                ast.unparse(key) == ast.unparse(other)
                for s in stores
                for other, _ in s.pairs
            )
            > 1
        }
        for store in stores:
            if not text.alone(store.statement):
                raise _Unclear
            lines = []
            for key, value in store.pairs:
                spelled = ast.unparse(key)
                if spelled not in overwritten and self._stable(value, scope):
                    own[spelled] = _flat(text, value)
                    continue
                if spelled not in own:
                    wish = re.sub(r"\W+", "_", spelled.split(".")[-1]).strip("_")
                    own[spelled] = self._fresh(f"{wish}_feed", scope.node)
                lines.append(f"{own[spelled]} = {_flat(text, value)}")
            new_lines[store.statement] = lines
        for use in uses:
            pairs = [f"{key}: {own[key]}" for key in keys[use]]
            edits.append(Edit(use, "{" + ", ".join(pairs) + "}"))
        text = text.edited(edits)
        for statement in sorted(new_lines, key=lambda s: s.lineno, reverse=True):
            indent = self._indent(statement)
            lines = [indent + line for line in new_lines[statement]]
            if not lines and len(self._suite(statement)) == 1:
                lines = [indent + "pass"]
            origin = text.origins[statement.lineno - 1]
            text = text.spliced(
                statement.lineno,
                statement.end_lineno or statement.lineno,
                lines,
                [origin] * len(lines),
            )
        return text

    def _keys(
        self, stores: list[_Store], uses: list[ast.Name]
    ) -> dict[ast.Name, list[str]]:
        """The keys a feed has at each use.

        Raises:
          _Unclear: that depends on the path taken.
        """
        if not stores or not stores[0].first:
            raise _Unclear
        whole = [s for s in stores if s.first]
        if len(whole) > 1:
            sets = {tuple(sorted(ast.unparse(k) for k, _ in s.pairs)) for s in whole}
            more = {ast.unparse(k) for s in stores for k, _ in s.pairs}
            if len(sets) != 1 or more != set(next(iter(sets))):
                raise _Unclear
            found = [ast.unparse(k) for k, _ in whole[0].pairs]
            return {use: found for use in uses}
        suite = self._suite(stores[0].statement)
        at: list[tuple[int, list[str]]] = []
        for store in stores:
            found = [ast.unparse(k) for k, _ in store.pairs]
            known = {k for _, ks in at for k in ks}
            if store.statement in suite:
                at.append((store.statement.lineno, found))
            elif not set(found) <= known:
                raise _Unclear
        keys: dict[ast.Name, list[str]] = {}
        for use in uses:
            within = {id(s) for s in [self._statement(use), *self._above(use)]}
            if not any(id(s) in within for s in suite):
                raise _Unclear
            before = [k for line, ks in at if line < use.lineno for k in ks]
            keys[use] = list(dict.fromkeys(before))
        return keys

    # -- functions that make feeds -------------------------------------------------------

    def _maker(self, call: ast.Call) -> ast.FunctionDef | None:
        """The function of this module that returns a feed, as called here."""
        func = call.func
        found: ast.AST | None = None
        if isinstance(func, ast.Name):
            owner = self._scopes.scope_of(func).owner(func.id)
            bindings = owner.bindings[func.id] if owner is not None else []
            found = bindings[0] if len(bindings) == 1 else None
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            caller = self._function(call)
            owner_class = self._scopes.parents.get(caller)
            if (
                isinstance(owner_class, ast.ClassDef)
                and isinstance(caller, ast.FunctionDef)
                and caller.args.args
                and caller.args.args[0].arg == func.value.id
            ):
                methods = [
                    m
                    for m in owner_class.body
                    if isinstance(m, ast.FunctionDef) and m.name == func.attr
                ]
                same = (
                    len(methods) == 1
                    and methods[0].args.args
                    and methods[0].args.args[0].arg == func.value.id
                )
                found = methods[0] if same else None
        if not isinstance(found, ast.FunctionDef) or found.decorator_list:
            return None
        returns = _returns(found)
        if not returns or not all(self._gives_feed(r, found) for r in returns):
            return None
        return found

    def _gives_feed(self, statement: ast.Return, function: ast.FunctionDef) -> bool:
        value = statement.value
        if isinstance(value, ast.Dict):
            pairs = _pairs(value)
            return bool(pairs) and all(_is_key(k) for k, _ in pairs or ())
        if isinstance(value, ast.Name):
            scope = self._scopes.scope_by_node[function]
            if scope.owner(value.id) is not scope:
                return False
            try:
                stores, _ = self._stores(value.id, scope)
            except _Unclear:
                return False
            keys = [k for s in stores for k, _ in s.pairs]
            return bool(keys) and all(_is_key(k) for k in keys)
        return False

    def _made(self, binding: ast.Assign, name: str, scope: Scope) -> Text | None:
        """`feed = make(...)`: the function gives values, the caller names them."""
        assert isinstance(binding.value, ast.Call)
        maker = self._maker(binding.value)
        assert maker is not None
        inner = self._scopes.scope_by_node[maker]
        for statement in _returns(maker):  # First its own dict, if it has a name.
            if isinstance(statement.value, ast.Name):
                stores, uses = self._stores(statement.value.id, inner)
                return self._scattered(statement.value.id, stores, uses, inner)
        callers = self._callers(maker)
        displays = [r.value for r in _returns(maker)]
        first = displays[0]
        assert isinstance(first, ast.Dict)
        keys = [ast.unparse(k) for k in first.keys if k is not None]
        for display in displays:
            assert isinstance(display, ast.Dict)
            if [ast.unparse(k) for k in display.keys if k is not None] != keys:
                raise _Unclear
        parameters = [a.arg for a in [*maker.args.posonlyargs, *maker.args.args]]
        own = parameters[:1] if isinstance(binding.value.func, ast.Attribute) else []
        dropped = [k for k in keys if k in parameters]
        self._check_dropped(maker, dropped, inner)
        for key in keys:
            root = key.split(".")[0].split("[")[0]
            if root in inner.bindings and root not in (*dropped, *own):
                raise _Unclear
        edits: list[Edit] = []
        for display in displays:
            assert isinstance(display, ast.Dict)
            values = [_flat(self._text, v) for v in display.values]
            edits.append(Edit(display, ", ".join(values)))
        edits += self._signature(maker, dropped)
        replaced: list[tuple[ast.Assign, str]] = []
        for caller in callers:
            call = caller.value
            assert isinstance(call, ast.Call)
            bound = names.bound_arguments(call, tuple(parameters[len(own) :]))
            if bound is None:
                raise _Unclear
            replaced.append(
                (caller, self._call_site(caller, call, bound, keys, dropped, edits))
            )
        text = self._text.edited(
            [e for e in edits if not any(e.node is c for c, _ in replaced)]
        )
        for caller, line in sorted(
            replaced, key=lambda pair: pair[0].lineno, reverse=True
        ):
            origin = text.origins[caller.lineno - 1]
            text = text.spliced(
                caller.lineno, caller.end_lineno or caller.lineno, [line], [origin]
            )
        return text

    def _call_site(
        self,
        caller: ast.Assign,
        call: ast.Call,
        bound: dict[str, ast.expr],
        keys: list[str],
        dropped: list[str],
        edits: list[Edit],
    ) -> str:
        """The caller's new line; edits of its uses are added to `edits`."""
        assert isinstance(caller.targets[0], ast.Name)
        name = caller.targets[0].id
        scope = self._scopes.scope_of(caller.targets[0])
        taken: dict[str, str] = {}
        for key in keys:
            placeholder = _flat(self._text, bound[key]) if key in dropped else key
            wish = re.sub(r"\W+", "_", placeholder.split(".")[-1]).strip("_")
            if key in dropped and not _is_key(bound[key]):
                raise _Unclear
            given = self._given.setdefault((id(scope), name, placeholder), "")
            if not given:
                given = self._fresh(f"{wish}_feed", scope.node)
                self._given[id(scope), name, placeholder] = given
            taken[placeholder] = given
        for node in _in_scope(scope):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            if isinstance(node.ctx, ast.Store):
                continue
            if not self._is_feed(node):
                raise _Unclear
            pairs = ", ".join(f"{k}: {v}" for k, v in taken.items())
            edit = Edit(node, "{" + pairs + "}")
            if not any(e.node is node for e in edits):
                edits.append(edit)
            elif not any(e.node is node and e.new == edit.new for e in edits):
                raise _Unclear
        arguments: list[str] = []
        gone = {id(bound[k]) for k in dropped if k in bound}
        for argument in call.args:
            if id(argument) not in gone:
                arguments.append(_flat(self._text, argument))
        for keyword in call.keywords:
            if id(keyword.value) not in gone:
                arguments.append(f"{keyword.arg}={_flat(self._text, keyword.value)}")
        func = self._text.segment(call.func)
        targets = ", ".join(taken.values())
        return f"{self._indent(caller)}{targets} = {func}({', '.join(arguments)})"

    def _callers(self, maker: ast.FunctionDef) -> list[ast.Assign]:
        """Every use of the function, each of which must name its result.

        Raises:
          _Unclear: one does something else with it.
        """
        self._given: dict[tuple[int, str, str], str] = {}
        callers: list[ast.Assign] = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Attribute) and node.attr == maker.name:
                reference: ast.expr = node
            elif isinstance(node, ast.Name) and node.id == maker.name:
                reference = node
                if maker not in (
                    (self._scopes.scope_of(node).owner(node.id) or _NOWHERE).bindings
                ).get(node.id, []):
                    continue
            else:
                continue
            call = self._scopes.parents[reference]
            statement = self._scopes.parents.get(call)
            if not (
                isinstance(call, ast.Call)
                and call.func is reference
                and isinstance(statement, ast.Assign)
                and statement.value is call
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and self._text.alone(statement)
                and self._maker(call) is maker
            ):
                raise _Unclear
            callers.append(statement)
        return callers

    def _check_dropped(
        self, maker: ast.FunctionDef, dropped: list[str], inner: Scope
    ) -> None:
        """Parameters that are only keys can go.

        Raises:
          _Unclear: one is read otherwise, or the signature is not plain.
        """
        arguments = maker.args
        if arguments.vararg or arguments.kwarg:
            raise _Unclear
        if dropped and (arguments.defaults or arguments.kw_defaults):
            raise _Unclear
        keys = {
            id(key)
            for statement in _returns(maker)
            if isinstance(statement.value, ast.Dict)
            for key in statement.value.keys
        }
        for node in ast.walk(maker):
            if (
                isinstance(node, ast.Name)
                and node.id in dropped
                and id(node) not in keys
            ):
                raise _Unclear

    def _signature(self, maker: ast.FunctionDef, dropped: list[str]) -> list[Edit]:
        if not dropped:
            return []
        arguments = [*maker.args.posonlyargs, *maker.args.args]
        kept = ", ".join(
            self._text.segment(a) for a in arguments if a.arg not in dropped
        )
        # One node that spans all of them.
        span = ast.Constant(None)
        span.lineno, span.col_offset = arguments[0].lineno, arguments[0].col_offset
        span.end_lineno = arguments[-1].end_lineno
        span.end_col_offset = arguments[-1].end_col_offset
        return [Edit(span, kept)]

    # -- places --------------------------------------------------------------------------

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        above = self._scopes.parents.get(node)
        while above is not None:
            yield above
            above = self._scopes.parents.get(above)

    def _statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self._scopes.parents[node]
        return node

    def _function(self, node: ast.AST) -> ast.AST:
        for above in self._above(node):
            if isinstance(above, (ast.FunctionDef, ast.Module)):
                return above
        return self._tree

    def _suite(self, statement: ast.stmt) -> list[ast.stmt]:
        parent = self._scopes.parents[statement]
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(parent, field, None)
            if isinstance(suite, list) and statement in suite:
                return suite
        raise _Unclear

    def _indent(self, statement: ast.stmt) -> str:
        return self._text.lines[statement.lineno - 1][: statement.col_offset]

    def _fresh(self, wish: str, scope: ast.AST) -> str:
        taken = {n.id for n in ast.walk(scope) if isinstance(n, ast.Name)}
        taken |= {a.arg for a in ast.walk(scope) if isinstance(a, ast.arg)}
        taken |= set(self._scopes.module.bindings) | self._named_now
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        self._named_now.add(name)
        return name


_NOWHERE = Scope(ast.Module([], []), None)


def _feed_argument(call: ast.AST) -> ast.expr | None:
    """What a session's run call is fed with."""
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr != "run"
        or not (call.args or call.keywords)
    ):
        return None
    return names.argument(call, "feed_dict", 1)


def _pairs(value: ast.expr) -> tuple[tuple[ast.expr, ast.expr], ...] | None:
    """Keys and values of a dict written out; None if it is not."""
    if isinstance(value, ast.Dict):
        if any(key is None for key in value.keys):
            return None
        return tuple((k, v) for k, v in zip(value.keys, value.values) if k is not None)
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "dict"
        and not value.args
        and not value.keywords
    ):
        return ()
    return None


def _is_key(node: ast.expr) -> bool:
    """Whether a placeholder may stand there: a name, an attribute, an item."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and _is_key(node.value)
    return names.key(node) is not None


def _returns(function: ast.FunctionDef) -> list[ast.Return]:
    return [
        n for n in names.walk_scope_of_function(function) if isinstance(n, ast.Return)
    ]


def _in_scope(scope: Scope) -> Iterator[ast.AST]:
    """Nodes of a function (or the module), nested functions included."""
    body = getattr(scope.node, "body", [])
    for statement in body:
        yield from _ordered(statement)


def _ordered(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _ordered(child)


def _flat(text: Text, value: ast.expr) -> str:
    """An expression as one line.

    Raises:
      _Unclear: it has comments or strings of several lines.
    """
    segment = text.segment(value)
    if "\n" not in segment:
        return segment
    if "#" in segment or inside_strings(value):
        raise _Unclear
    return " ".join(line.strip() for line in segment.split("\n"))
