"""The loop of training: where its batches come from, and where its step stands."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.cut import CutReader
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.half_migrated.tapes import find_tapes as tapes_in
from migrate.frontends.keras_names import find_called_function
from migrate.program.eager import Source
from migrate.rules.mistakes.mistake import find_binding
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.source.nodes import walk_breadth_first


class LoopReader:
    """Reads the loop in the block of one file's session."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes

    def read_source(
        self, block: ast.With, suite: list[ast.stmt]
    ) -> tuple[Source, list[ast.stmt], ast.Call | None]:
        """The batches, the loop's suite with the step, and the call of its function."""
        call = self._step_call(block)
        tapes = tapes_in(self._scopes, block)
        node: ast.AST | None = call or (tapes[0] if len(tapes) == 1 else None)
        all_tapes = tapes_in(self._scopes, self._scopes.tree)
        if node is None or len(all_tapes) != 1:
            raise Refused(
                "D125",
                block,
                "the program does not have exactly one training step with one "
                "GradientTape",
                "Keep one function with one tape, and call it in one place.",
            )
        while not isinstance(
            self._scopes.parents[node], (ast.For, ast.While, ast.With)
        ) or (node in getattr(self._scopes.parents[node], "items", ())):
            node = self._scopes.parents[node]
        loop: ast.AST = self._scopes.parents[node]
        assert isinstance(loop, (ast.For, ast.While, ast.With))
        body = loop.body
        source = None
        if isinstance(loop, ast.For):
            source = self._read_loop(loop)
        if source is None:
            source = self._read_next(body, suite)
        if source is None and not isinstance(loop, ast.With):
            source = self._read_cut_batch(block, suite, loop, call)
        if source is None:
            raise Refused(
                "D125",
                loop,
                "the tool cannot tell that the batches come from a tf.data.Dataset, or are "
                "cut out of arrays in the loop",
                "Iterate a tf.data.Dataset: `for x, y in dataset:`.",
            )
        return source, body, call

    def _read_cut_batch(
        self,
        block: ast.With,
        suite: list[ast.stmt],
        loop: ast.For | ast.While,
        call: ast.Call | None,
    ) -> Source | None:
        """A batch that the loop cuts out of arrays."""
        body = loop.body
        tapes = tapes_in(self._scopes, block)
        step = next(
            s
            for s in body
            if any(n is (call or tapes[0]) for n in walk_breadth_first(s))
        )
        if call is not None:
            given = [*call.args, *(k.value for k in call.keywords)]
            wanted = {n for a in given for n in names.find_reads(a)}
        else:
            wanted = {n for s in body[body.index(step) :] for n in names.find_reads(s)}
        before = [s for s in suite if s.lineno < block.lineno]
        reader = CutReader(self._scopes, block, before)
        return reader.find_source(loop, body, step, wanted)

    def _step_call(self, block: ast.With) -> ast.Call | None:
        found = []
        for node in walk_breadth_first(block):
            if isinstance(node, ast.Call):
                function = find_called_function(self._scopes, node.func)
                if function is not None and tapes_in(self._scopes, function):
                    found.append(node)
        return found[0] if len(found) == 1 else None

    def _read_loop(self, loop: ast.For) -> Source | None:
        over, target = loop.iter, loop.target
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Name):
            if (
                over.func.id == "enumerate"
                and over.args
                and isinstance(target, ast.Tuple)
            ):
                over, target = over.args[0], target.elts[1]
        if not self._is_dataset(over):
            return None
        return Source(loop, over, _find_target_names(target), None)

    def _read_next(self, body: list[ast.stmt], suite: list[ast.stmt]) -> Source | None:
        """`x, y = next(batches)`, where `batches = iter(dataset)`."""
        first = body[0]
        if not (
            isinstance(first, ast.Assign)
            and isinstance(first.value, ast.Call)
            and isinstance(first.value.func, ast.Name)
            and first.value.func.id == "next"
            and len(first.value.args) == 1
        ):
            return None
        made = find_binding(self._scopes, first.value.args[0])
        if not (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Name)
            and made.func.id == "iter"
            and self._is_dataset(made.args[0])
        ):
            return None
        statement = self._scopes.parents[made]
        if statement not in suite:
            return None
        assert isinstance(statement, ast.stmt)
        return Source(
            first, made.args[0], _find_target_names(first.targets[0]), statement
        )

    def _is_dataset(self, node: ast.expr) -> bool:
        return gives_dataset(self._scopes, node)


def _find_target_names(target: ast.expr) -> ast.Name | ast.Tuple:
    if isinstance(target, ast.Name):
        return target
    if isinstance(target, ast.Tuple) and all(
        isinstance(e, ast.Name) for e in target.elts
    ):
        return target
    raise Refused(
        "D125",
        target,
        "the loop does not give plain names to the parts of an element",
        "Write `for x, y in dataset:`.",
    )
