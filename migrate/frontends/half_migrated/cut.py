"""Batches that a loop cuts out of arrays by hand, and gives to its step.

for i in range(0, len(x), 32):
    x_batch, y_batch = x[i:i + 32], y[i:i + 32]
    train_step(x_batch, y_batch)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.program.eager import Source
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

# What draws or gives several row numbers at once.
_ROWS = frozenset({"choice", "randint", "permutation", "integers", "arange"})
# Methods that return an array with as many rows.
_KEEPS = frozenset({"astype", "copy"})
_CONVERTS = frozenset(
    {
        *("tf.convert_to_tensor", "tf.constant", "tf.cast", "tf.one_hot"),
        *(
            "numpy.asarray",
            "numpy.array",
            "numpy.float32",
            "numpy.int32",
            "numpy.int64",
        ),
    }
)
_ONE_ROW = ast.Slice(None, ast.Constant(1), None)


class CutReader:
    """Reads the statements that cut a loop's batch.

    Args:
      block: the session's.
      before: the statements of the suite before it.
    """

    def __init__(self, scopes: Scopes, block: ast.With, before: list[ast.stmt]) -> None:
        self._scopes = scopes
        self._block = block
        self._before = before
        self._bound = {n for s in block.body for n in names.find_binds(s)}

    def find_source(
        self, loop: ast.stmt, body: list[ast.stmt], step: ast.stmt, wanted: set[str]
    ) -> Source | None:
        """The batch of a step, None if it is not cut by hand.

        Args:
          body: the loop's suite with the step.
          step: the first of its statements.
          wanted: the names that the step may take.
        """
        takes: list[ast.stmt] = []
        targets: list[ast.expr] = []
        examples: list[ast.expr] = []
        for statement in body[: body.index(step)]:
            for target, value in _list_pairs(statement):
                example = self._make_example(value)
                if example is None or target.id not in wanted:
                    continue
                if statement not in takes:
                    takes.append(statement)
                targets.append(target)
                examples.append(example)
        if not takes:
            return None
        for statement in takes:
            if len(list(_list_pairs(statement))) != sum(
                t in targets for t, _ in _list_pairs(statement)
            ):
                return None  # Half of it is something else.
        given = {n for e in examples for n in names.find_reads(e)}
        self._check_shuffled(given)
        clash = given & self._bound
        if clash:
            raise Refused(
                "D125",
                takes[0],
                f"the program cuts the batches out of `{sorted(clash)[0]}`, and the "
                "loop makes that array again",
                "Make the array before the session. Cut it by an index, and "
                "shuffle the index.",
            )
        return Source(
            loop,
            None,
            ast.Tuple(targets, ast.Store()),
            None,
            tuple(examples),
            tuple(takes),
        )

    def _check_shuffled(self, given: set[str]) -> None:
        """Raises Refused if workers would shuffle one array, each its own way."""
        own = self._bound.union(*[names.find_binds(s) for s in self._before])
        for node in walk_breadth_first(self._block):
            if (
                isinstance(node, ast.Call)
                and find_method(node) == "shuffle"
                and node.args
            ):
                shuffled = names.find_key(node.args[0])
                if shuffled in given or shuffled not in own:
                    raise Refused(
                        "D125",
                        node,
                        f"the program shuffles `{shuffled}` in place, and in "
                        "TensorFlow 1 every worker's process had its own",
                        "Make an index before the session, shuffle the index, and "
                        "cut the batches by it.",
                    )

    def _make_example(self, value: ast.expr) -> ast.expr | None:
        """Writes the expression with one row for the batch; None if it is no batch."""
        if isinstance(value, ast.Subscript):
            rows = value.slice
            if not isinstance(value.value, (ast.Name, ast.Attribute)):
                return None
            if isinstance(rows, ast.Tuple) or not self._takes_several_rows(rows):
                return None
            return ast.Subscript(self._find_whole(value.value), _ONE_ROW, ast.Load())
        if not isinstance(value, ast.Call):
            if isinstance(value, ast.BinOp) and isinstance(value.right, ast.Constant):
                left = self._make_example(value.left)
                return None if left is None else ast.BinOp(left, value.op, value.right)
            return None
        if any(isinstance(a, ast.Starred) for a in value.args):
            return None
        rest = [*value.args, *(k.value for k in value.keywords)]
        if find_method(value) in _KEEPS or _flattens(value):
            assert isinstance(value.func, ast.Attribute)
            inner = self._make_example(value.func.value)
            if inner is None or any(names.find_reads(a) & self._bound for a in rest):
                return None
            function: ast.expr = ast.Attribute(inner, value.func.attr, ast.Load())
            return ast.Call(function, value.args, value.keywords)
        if self._name_call(value) in _CONVERTS and value.args:
            inner = self._make_example(value.args[0])
            if inner is None or any(
                names.find_reads(a) & self._bound for a in rest[1:]
            ):
                return None
            return ast.Call(value.func, [inner, *value.args[1:]], value.keywords)
        return None

    def _name_call(self, call: ast.Call) -> str:
        return (
            self._scopes.resolve(call.func)
            or self._scopes.find_dotted_path(call.func)
            or ""
        )

    def _find_whole(self, array: ast.expr) -> ast.expr:
        """Finds the array whose rows another array holds: `x` of `own = x[task::2]`."""
        while isinstance(array, ast.Name):
            owner = self._scopes.find_scope(array).find_owner(array.id)
            bound = owner.bindings.get(array.id, []) if owner is not None else []
            if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
                return array
            value = bound[0].value
            if not (
                isinstance(bound[0].targets[0], ast.Name)
                and isinstance(value, ast.Subscript)
                and isinstance(value.slice, ast.Slice)
                and isinstance(value.value, ast.Name)
                and bound[0] in self._before
            ):
                return array
            array = value.value
        return array

    def _takes_several_rows(self, rows: ast.expr) -> bool:
        """Whether an index takes several rows."""
        if isinstance(rows, ast.Slice):
            return bool(names.find_reads(rows) & self._bound)
        if isinstance(rows, ast.Subscript):
            return isinstance(rows.slice, ast.Slice)
        if isinstance(rows, ast.Call):
            return find_method(rows) in _ROWS
        if isinstance(rows, ast.Name):
            made = [
                s.value
                for s in walk_breadth_first(self._block)
                if isinstance(s, ast.Assign) and rows.id in names.find_binds(s)
            ]
            return bool(made) and all(
                not isinstance(m, ast.Name) and self._takes_several_rows(m)
                for m in made
            )
        return False


def _flattens(call: ast.Call) -> bool:
    """`.reshape(-1, 784)`, or of a tuple: as many rows as there were."""
    if find_method(call) != "reshape" or not call.args or call.keywords:
        return False
    shape = call.args[0].elts if isinstance(call.args[0], ast.Tuple) else call.args
    return bool(shape) and names.read_literal(shape[0]) == -1


def _list_pairs(statement: ast.stmt) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Yields each name that an assignment binds, with its value."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        yield target, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) == len(value.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                if isinstance(one, ast.Name):
                    yield one, part
