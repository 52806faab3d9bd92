"""The step functions that run calls share, and what is left of their results."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.frontends.runs.loop import Loop
from migrate.frontends.sessions.fetches import Leaf
from migrate.program import ir
from migrate.program.binding_time import Analysis, list_every_flow
from migrate.program.code import Code, join_code, make_code


class Steps:
    """Names step functions, each fetched and fed in one way.

    Attributes:
      made: the step functions so far.
    """

    def __init__(self, analysis: Analysis, loop: Loop) -> None:
        self._analysis = analysis
        self._loop = loop
        self.made: list[ir.StepFunction] = []

    def share_step(self, step: ir.StepFunction, leaves: list[Leaf]) -> ir.StepFunction:
        """Returns the existing step function of the same fetches and feeds, if any."""

        def make_signature(s: ir.StepFunction) -> object:
            return (
                s.feeds,
                s.sources,
                s.given,
                s.structure,
                tuple(_spell_fragment(f) for f in s.fetches),
                tuple(_spell_fragment(k) for k in s.keys),
                tuple(id(f) for f in s.flows),
                tuple(s.observed),
                s.gives_step,
            )

        for other in self.made:
            if make_signature(other) == make_signature(step):
                return other
        valued = [
            (names.find_key(leaf.node) or "").rpartition(".")[2]
            for leaf in leaves
            if leaf.has_value
        ]
        if step.trains:
            wishes = ["train_step", *[f"train_step_with_{v}" for v in valued if v]]
            extra = [
                v
                for v in valued
                if v
                and not any(
                    v in _spell_fragment(f) for s in self.made for f in s.fetches
                )
            ]
            if any(s.name.startswith("train_step") for s in self.made) and extra:
                wishes.insert(1, f"train_step_with_{extra[0]}")
        else:
            base = "_and_".join(v for v in valued if v) or "evaluate"
            wishes = [f"compute_{base}" if len(base) < 30 else "evaluate", "evaluate"]
        step.name = self._analysis.choose_free_name(*wishes)
        self.made.append(step)
        return step

    def order_by_updates(self, flows: list[ir.Flow]) -> list[ir.StepFunction]:
        """The step functions; those that train in the order in which the graph was built.

        An optimizer makes its variables where its first step is traced. Two without names
        of their own were numbered by TF1 in the order of `minimize`.
        """
        place = {id(flow): index for index, flow in enumerate(list_every_flow(flows))}

        def list_updates(step: ir.StepFunction) -> list[int]:
            updating = [f for f in list_every_flow(step.flows) if f.update is not None]
            return sorted(place[id(f)] for f in updating if id(f) in place)

        trains = [step for step in self.made if list_updates(step)]
        ordered = iter(sorted(trains, key=list_updates))
        return [next(ordered) if step in trains else step for step in self.made]

    def is_droppable(
        self,
        statement: ast.stmt,
        call: ast.Call,
        leaves: list[Leaf],
        structure: str,
    ) -> bool:
        """Whether operations can leave the result: unpacked at once, or not used."""
        if structure not in ("tuple", "list"):
            return False
        if all(leaf.has_value for leaf in leaves):
            return False
        if isinstance(statement, ast.Expr) and statement.value is call:
            return True
        if isinstance(statement, ast.Assign) and statement.value is call:
            target = statement.targets[0]
            return (
                len(statement.targets) == 1
                and isinstance(target, (ast.Tuple, ast.List))
                and len(target.elts) == len(leaves)
                and not any(isinstance(e, ast.Starred) for e in target.elts)
                and all(
                    leaf.has_value or not self._is_used(e)
                    for e, leaf in zip(target.elts, leaves)
                )
            )
        return False

    def _is_used(self, target: ast.expr) -> bool:
        name = names.find_key(target)
        if name is None:
            return True
        return name != "_" and any(name in names.find_reads(s) for s in self._loop.tail)

    def write_targets(
        self,
        statement: ast.stmt,
        call: ast.Call,
        leaves: list[Leaf],
        structure: str,
    ) -> Code | None:
        """Writes an assignment's targets, without those of fetched operations."""
        if not self.is_droppable(statement, call, leaves, structure):
            return None
        if not isinstance(statement, ast.Assign):
            return None
        target = statement.targets[0]
        assert isinstance(target, (ast.Tuple, ast.List))
        kept = [e for e, leaf in zip(target.elts, leaves) if leaf.has_value]
        return join_code(", ", kept) if kept else make_code("_")


def _spell_fragment(fragment: Code) -> str:
    return "".join(
        p
        if isinstance(p, str)
        else _spell_fragment(p)
        if isinstance(p, Code)
        else ast.dump(p)
        for p in fragment.parts
    )
