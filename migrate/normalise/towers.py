"""TF1 to TF1: a loop over towers as one tower, which every replica computes.

    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
            loss = tower_loss(images[i], labels[i])
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)

becomes the body of the loop, in which `i` is the number of the replica, and `grads` are
that replica's, to be averaged where they are applied. Values of a tower that are used
after the loop are the last tower's, as they were; lists that the loop fills are
gathered from all replicas.

A loop is only taken where all of it is clear. Any other is left for the analysis, which
refuses it.
"""

from __future__ import annotations

import ast
import dataclasses
import textwrap
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.frontends.placement import names_task
from migrate.normalise import tower_averages, tower_blocks
from migrate.normalise.text import Edit, Text, inside_strings

INDEX = (
    "tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)"
)
_RANGES = frozenset({"range", "xrange"})
_PLACES = frozenset({"tf.device", "tf.name_scope"})
_NOT_SHARED = frozenset({"tf.Variable", "tf.contrib.eager.Variable"})
_NOT_READ = frozenset(
    {"tf.layers.batch_normalization", "tf.layers.BatchNormalization"}
    | {"tf.keras.layers.BatchNormalization", "tf.contrib.layers.batch_norm"}
    | {"tf.nn.fused_batch_norm"}
)


ON_TASKS = "the towers are on tasks of a cluster, not on this process's devices"


@dataclasses.dataclass(frozen=True)
class Towers:
    """A text whose towers are one.

    Attributes:
      text: it.
      count: how many towers there are, an expression of the text's.
      line: the original line of the loop.
    """

    text: Text
    count: str
    line: int


class _Unclear(Exception):
    """Something of the loop is not read."""


def as_replicas(text: Text) -> Towers | None:
    """The text with its loop over towers as one; None if it has none that is clear."""
    if "compute_gradients" not in text.source:
        return None
    try:
        return _Loop(tower_blocks.plain(text)).run()
    except _Unclear:
        return None


def why_not(source: str) -> tuple[int, str] | None:
    """The line of a loop over towers that is not taken, and why."""
    if "compute_gradients" not in source:
        return None
    loop = _Loop(tower_blocks.plain(Text.of(source)))
    try:
        loop.run()
    except _Unclear as unclear:
        return loop.line, str(unclear) or "more than towers is made in this loop"
    return None


@dataclasses.dataclass(frozen=True)
class _Iterated:
    """What a loop goes over: how often, and what each name is for tower `{index}`."""

    count: str
    index: str | None
    values: tuple[tuple[str, str], ...]


class _Loop:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = ast.parse(text.source)
        self._scopes = Scopes(self._tree)
        self.line = 1

    # -- the loop ---------------------------------------------------------------------

    def run(self) -> Towers | None:
        loops = [n for n in ast.walk(self._tree) if self._is_towers(n)]
        if len(loops) != 1:
            return None
        loop = loops[0]
        assert isinstance(loop, ast.For)
        self._loop, self.line = loop, loop.lineno
        self._inside = set(ast.walk(loop))
        if any(names_task(self._scopes, node) for node in self._inside):
            raise _Unclear(ON_TASKS)
        self._check(loop)
        iterated = self._iterated(loop.target, loop.iter)
        self._count = iterated.count
        index = iterated.index or self._fresh("tower")
        self._index = index
        body = self._flattened(loop.body)
        lists = self._lists(body)
        gradients, pairs, appended = self._gradients(body, lists)
        lines: list[str] = []
        origins: list[int] = []

        def add(line: str, origin: int) -> None:
            lines.append(line)
            origins.append(self._text.origins[origin - 1])

        add(f"{index} = {INDEX}", loop.lineno)
        for name, value in iterated.values:
            add(f"{name} = {value.replace('{index}', index)}", loop.lineno)
        read = set().union(*[names.reads(s) for s in body])
        for scope in self._scope_names(loop.body):
            if scope not in read:
                continue
            add(f"{scope} = None", loop.lineno)
        after: list[tuple[str, int]] = []
        for statement in body:
            at = statement.lineno
            if statement is appended:
                if pairs is not None:
                    add(f"{gradients} = {pairs}", at)
                continue
            listed = self._appended(statement)
            if listed is not None:
                name, value = listed
                add(f"{name} = replicas.towers({value})", at)
                continue
            if self._only_first(statement):
                assert isinstance(statement, ast.If)
                for inner in statement.body:
                    for line in self._lines(inner):
                        add(line, inner.lineno)
                    for name in sorted(names.binds(inner)):
                        if self._read_after(name):
                            after.append((name, inner.lineno))
                continue
            if self._sets_flag(statement):
                continue
            for line in self._lines(statement):
                add(line, at)
        for statement in body:
            bound = names.binds(statement)
            if self._sets_flag(statement) and any(map(self._read_after, bound)):
                for line in self._lines(statement):
                    add(line, statement.lineno)
        for name, at in after:
            first = f"replicas.towers({name})[0]"
            if self._only_fetched(name):
                first = f"replicas.of_first({name})"
            add(f"{name} = {first}", at)
        return self._spliced(lines, origins, lists, gradients, iterated)

    def _is_towers(self, node: ast.AST) -> bool:
        return isinstance(node, ast.For) and any(
            self._computes(n) for n in self._own(node.body)
        )

    def _own(self, body: list[ast.stmt]) -> Iterator[ast.AST]:
        for statement in body:
            yield from names.walk_scope(statement)

    def _computes(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "compute_gradients"
            and self._scopes.resolve(node.func) is None
        )

    def _check(self, loop: ast.For) -> None:
        """What towers do that replicas would do otherwise.

        Raises:
          _Unclear: they make variables of their own, or move averages, or draw batches.
        """
        if loop.orelse or isinstance(loop.target, ast.Starred):
            raise _Unclear
        reached = reach.reached(self._scopes, [loop])
        for root in [loop, *reached]:
            for node in ast.walk(root):
                if isinstance(node, (ast.Break, ast.Continue)) and root is loop:
                    raise _Unclear
                if not isinstance(node, ast.Call):
                    continue
                symbol = self._scopes.resolve(node.func) or ""
                if symbol in _NOT_SHARED:
                    raise _Unclear("every tower makes a variable of its own")
                if symbol in _NOT_READ:
                    raise _Unclear("towers normalise batches, each by its own part")
                if symbol.startswith("tf.summary."):
                    raise _Unclear("towers write summaries, each under its own name")
                if (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr in ("get_next", "dequeue")
                    and not symbol
                ):
                    raise _Unclear(
                        "every tower draws a batch of its own: draw one, and split it"
                    )
                if (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr == "apply_gradients"
                    and not symbol
                ):
                    raise _Unclear("every tower applies its gradients by itself")
        if "UPDATE_OPS" in self._text.source:
            raise _Unclear("towers normalise batches, each by its own part")

    # -- what it goes over --------------------------------------------------------------

    def _iterated(self, target: ast.expr, over: ast.expr) -> _Iterated:
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Name):
            name = over.func.id
            if name in _RANGES and len(over.args) == 1 and isinstance(target, ast.Name):
                return _Iterated(self._flat(over.args[0]), target.id, ())
            if (
                name == "enumerate"
                and len(over.args) == 1
                and isinstance(target, ast.Tuple)
                and len(target.elts) == 2
                and isinstance(target.elts[0], ast.Name)
            ):
                inner = self._iterated(target.elts[1], over.args[0])
                if inner.index is not None:
                    raise _Unclear
                return dataclasses.replace(inner, index=target.elts[0].id)
            if name == "zip" and isinstance(target, ast.Tuple):
                if len(target.elts) != len(over.args):
                    raise _Unclear
                parts = [
                    self._iterated(t, a)
                    for t, a in zip(target.elts, over.args, strict=True)
                ]
                if any(p.index is not None for p in parts):
                    raise _Unclear
                values = tuple(v for p in parts for v in p.values)
                return _Iterated(parts[0].count, None, values)
            raise _Unclear
        if not isinstance(target, ast.Name) or names.key(over) is None:
            raise _Unclear
        shown = self._flat(over)
        return _Iterated(
            self._length(over), None, ((target.id, f"{shown}[{{index}}]"),)
        )

    def _length(self, over: ast.expr) -> str:
        """How many elements a list of the graph has, or Python's `len` of another."""
        if isinstance(over, ast.Name):
            owner = self._scopes.scope_of(over).owner(over.id)
            bindings = owner.bindings[over.id] if owner is not None else []
            if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
                made = bindings[0].value
                if isinstance(made, ast.Call):
                    symbol = self._scopes.resolve(made.func) or ""
                    count = names.argument(made, "num_or_size_splits", 1)
                    if symbol == "tf.split" and count is not None:
                        if isinstance(count, (ast.List, ast.Tuple)):
                            raise _Unclear
                        return self._flat(count)
                    if symbol.startswith("tf."):
                        raise _Unclear
        return f"len({self._flat(over)})"

    # -- its body -------------------------------------------------------------------------

    def _dissolves(self, statement: ast.stmt) -> bool:
        """A block that places or names the tower, or holds the scope it reuses."""
        if not isinstance(statement, ast.With):
            return False
        for item in statement.items:
            call = item.context_expr
            if not isinstance(call, ast.Call):
                return False
            symbol = self._scopes.resolve(call.func)
            if symbol in _PLACES:
                continue
            name = names.argument(call, "name_or_scope", 0)
            if not (
                symbol == "tf.variable_scope"
                and isinstance(name, ast.Call)
                and self._scopes.resolve(name.func) == "tf.get_variable_scope"
                and item.optional_vars is None
            ):
                return False
        return True

    def _scope_names(self, body: list[ast.stmt]) -> list[str]:
        """Names of name scopes, which a tower may pass on to collections."""
        return [
            item.optional_vars.id
            for statement in body
            if isinstance(statement, ast.With) and self._dissolves(statement)
            for item in statement.items
            if isinstance(item.optional_vars, ast.Name)
        ] + [
            name
            for statement in body
            if isinstance(statement, ast.With) and self._dissolves(statement)
            for name in self._scope_names(statement.body)
        ]

    def _flattened(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.With) and self._dissolves(statement):
                found.extend(self._flattened(statement.body))
            elif not self._only_reuses(statement):
                found.append(statement)
        self._check_carried(found)
        return found

    def _only_reuses(self, statement: ast.stmt) -> bool:
        """`tf.get_variable_scope().reuse_variables()`, perhaps under a condition."""
        if isinstance(statement, ast.If) and not statement.orelse:
            return all(self._only_reuses(s) for s in statement.body)
        return (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and isinstance(statement.value.func, ast.Attribute)
            and statement.value.func.attr == "reuse_variables"
        )

    def _check_carried(self, body: list[ast.stmt]) -> None:
        """What one tower leaves for the next: nothing but a flag that it was made.

        Raises:
          _Unclear: more than that.
        """
        bound_later: set[str] = set().union(*[names.binds(s) for s in body])
        bound: set[str] = set()
        self._flags: dict[str, str] = {}  # What a flag is for the first tower.
        for statement in self._opened(body):
            if isinstance(statement, ast.AugAssign):
                raise _Unclear
            if isinstance(statement, (ast.For, ast.While, ast.Try, ast.FunctionDef)):
                raise _Unclear
            reads = names.reads(statement)
            if isinstance(statement, ast.If):
                reads = names.reads(statement.test)
                inside: set[str] = set()
                for inner in [*statement.body, *statement.orelse]:
                    reads |= names.reads(inner) - inside
                    inside |= names.binds(inner)
            for name in (reads & bound_later) - bound:
                first = self._flag(name, body)
                if first is None:
                    raise _Unclear
                self._flags[name] = first
            bound |= names.binds(statement)

    def _opened(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Statements in order, those of `with` blocks after what their items read."""
        for statement in body:
            if isinstance(statement, ast.With):
                for item in statement.items:
                    yield ast.Expr(item.context_expr)
                yield from self._opened(statement.body)
            else:
                yield statement

    def _flag(self, name: str, body: list[ast.stmt]) -> str | None:
        """`reuse = True` at the loop's end: what it is before; None for anything else."""
        scope = self._scopes.scope_of(self._loop)
        bindings = scope.bindings.get(name, [])
        if len(bindings) != 2 or bindings[1] not in body:
            return None
        for bound in bindings:
            if not (
                isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Constant)
            ):
                return None
        return ast.unparse(bindings[0].value)  # type: ignore[attr-defined]

    def _sets_flag(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Assign) and bool(
            names.binds(statement) & set(self._flags)
        )

    def _only_first(self, statement: ast.stmt) -> bool:
        """`if i == 0:` around assignments: what is shown of the first tower."""
        return (
            isinstance(statement, ast.If)
            and not statement.orelse
            and self._at_zero(statement.test) is True
            and self._depends(statement.test)
            and all(
                isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
                for s in statement.body
            )
        )

    def _depends(self, node: ast.expr) -> bool:
        return any(
            isinstance(n, ast.Name) and n.id == self._index for n in ast.walk(node)
        )

    def _at_zero(self, node: ast.expr) -> object:
        """The value of a condition for the first tower.

        Raises:
          _Unclear: it is not one of the tower's number alone.
        """
        known = (
            ast.Compare,
            ast.IfExp,
            ast.BoolOp,
            ast.UnaryOp,
            ast.Name,
            ast.Constant,
        )
        for n in ast.walk(node):
            if isinstance(n, ast.expr) and not isinstance(n, known):
                raise _Unclear
            if isinstance(n, ast.Name) and n.id != self._index:
                raise _Unclear
        compiled = compile(ast.Expression(node), "<condition>", "eval")
        return eval(compiled, {"__builtins__": {}}, {self._index: 0})

    def _lines(self, statement: ast.stmt) -> list[str]:
        """A statement's lines without indentation, its conditions of reuse decided."""
        if inside_strings(statement) or not self._text.alone(statement):
            raise _Unclear
        edits = []
        for node in ast.walk(statement):
            if isinstance(node, ast.If) and self._depends(node.test):
                raise _Unclear
            if (
                isinstance(node, ast.keyword)
                and node.arg == "reuse"
                and self._depends(node.value)
            ):
                edits.append(Edit(node.value, repr(self._at_zero(node.value))))
            elif (
                isinstance(node, ast.Name)
                and node.id in self._flags
                and isinstance(node.ctx, ast.Load)
            ):
                edits.append(Edit(node, self._flags[node.id]))
        text = self._text.edited(edits)
        end = statement.end_lineno or statement.lineno
        begin = statement.lineno
        while text.lines[begin - 2].strip().startswith("#"):
            begin -= 1  # Its comment goes with it.
        lines = text.lines[begin - 1 : end]
        return textwrap.dedent("\n".join(lines)).split("\n")

    # -- lists that it fills --------------------------------------------------------------

    def _appended(self, statement: ast.stmt) -> tuple[str, str] | None:
        """`losses.append(loss)` as (list, value)."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and isinstance(call.func.value, ast.Name)
            and len(call.args) == 1
        ):
            return call.func.value.id, self._flat(call.args[0])
        return None

    def _lists(self, body: list[ast.stmt]) -> dict[str, ast.Assign]:
        """The lists, each with the statement that makes it empty, before the loop."""
        found: dict[str, ast.Assign] = {}
        scope = self._scopes.scope_of(self._loop)
        for statement in body:
            listed = self._appended(statement)
            if listed is None:
                continue
            made = [
                b
                for b in scope.bindings.get(listed[0], [])
                if isinstance(b, ast.Assign)
                and isinstance(b.value, ast.List)
                and not b.value.elts
                and b.lineno < self._loop.lineno
                and self._text.alone(b)
            ]
            uses = [
                n for n in self._inside if isinstance(n, ast.Name) and n.id == listed[0]
            ]
            if len(made) != 1 or len(uses) != 1 or listed[0] in found:
                raise _Unclear
            found[listed[0]] = made[0]
        return found

    def _gradients(
        self, body: list[ast.stmt], lists: dict[str, ast.Assign]
    ) -> tuple[str, str | None, ast.stmt]:
        """The name of a tower's gradients; how they are made, if not by a statement.

        Also the statement that appends them. `self._average` is where they are averaged.
        """
        made = {
            name
            for s in body
            if isinstance(s, ast.Assign) and self._computes(s.value)
            for name in names.binds(s)
        }
        for statement in body:
            listed = self._appended(statement)
            if listed is None:
                continue
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Call)
            value = statement.value.args[0]
            own = isinstance(value, ast.Name) and value.id in made
            if not (own or self._computes(value)):
                continue
            self._average = self._averaged(listed[0])
            self._listed = listed[0]
            if isinstance(value, ast.Name):
                return value.id, None, statement
            return self._fresh("tower_gradients"), listed[1], statement
        raise _Unclear

    def _averaged(self, name: str) -> tower_averages.Average:
        found = tower_averages.find(self._scopes, self._loop, name, self._count)
        if found is None:
            raise _Unclear("the towers' gradients are not averaged, or not as a whole")
        return found

    # -- the new text ---------------------------------------------------------------------

    def _spliced(
        self,
        lines: list[str],
        origins: list[int],
        lists: dict[str, ast.Assign],
        gradients: str,
        iterated: _Iterated,
    ) -> Towers:
        outer: ast.stmt = self._loop
        parent = self._scopes.parents[outer]
        # `with tf.variable_scope(tf.get_variable_scope()):` around the loop goes too.
        while isinstance(parent, ast.With) and parent.body == [outer]:
            if not self._dissolves(parent):
                break
            outer, parent = parent, self._scopes.parents[parent]
        indent = self._text.lines[outer.lineno - 1][: outer.col_offset]
        average = self._average
        new = gradients if average.applied else f"replicas.averaged({gradients})"
        text = self._text
        edits: list[tuple[int, int, list[str], list[int]]] = []
        kept = average.statement
        if average.value is not None:
            text = text.edited([Edit(average.value, new)])
            whole = isinstance(kept, ast.Assign) and kept.value is average.value
            if whole and names.binds(kept) == {new}:
                edits.append((kept.lineno, kept.end_lineno or kept.lineno, [], []))
        else:
            start = self._text.lines[kept.lineno - 1][: kept.col_offset]
            edits.append(
                (
                    kept.lineno,
                    kept.end_lineno or kept.lineno,
                    [f"{start}{average.result} = {new}"],
                    [self._text.origins[kept.lineno - 1]],
                )
            )
            if average.begun is not None:
                edits.append((average.begun.lineno, average.begun.lineno, [], []))
        edits += [
            (
                outer.lineno,
                outer.end_lineno or outer.lineno,
                [indent + line if line else line for line in lines],
                origins,
            )
        ]
        for made in lists.values():
            edits.append((made.lineno, made.end_lineno or made.lineno, [], []))
        for first, last, replaced, from_ in sorted(edits, key=lambda e: -e[0]):
            text = text.spliced(first, last, replaced, from_)
        line = self._text.origins[self._loop.lineno - 1]
        return Towers(text, iterated.count, line)

    def _read_after(self, name: str) -> bool:
        return bool(self._reads_after(name))

    def _reads_after(self, name: str) -> list[ast.Name]:
        scope = self._scopes.scope_of(self._loop)
        return [
            n
            for n in ast.walk(self._tree)
            if isinstance(n, ast.Name)
            and n.id == name
            and isinstance(n.ctx, ast.Load)
            and n not in self._inside
            and self._scopes.scope_of(n).owner(name) is scope
        ]

    def _only_fetched(self, name: str) -> bool:
        """Whether it is read by `sess.run(name)` and `sess.run([..., name])` only."""
        for node in self._reads_after(name):
            parent = self._scopes.parents[node]
            if isinstance(parent, (ast.List, ast.Tuple)):
                parent = self._scopes.parents[parent]
            if not (
                isinstance(parent, ast.Call)
                and isinstance(parent.func, ast.Attribute)
                and parent.func.attr == "run"
            ):
                return False
        return True

    def _fresh(self, wish: str) -> str:
        taken = {n.id for n in ast.walk(self._tree) if isinstance(n, ast.Name)}
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        return name

    def _flat(self, value: ast.expr) -> str:
        segment = self._text.segment(value)
        return segment if "\n" not in segment else ast.unparse(value)
