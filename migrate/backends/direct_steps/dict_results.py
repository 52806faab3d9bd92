"""Writes the results of steps that return a dict, and what runs read: `values["loss"].numpy()`."""

from __future__ import annotations

import ast
import json

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Program, Step
from migrate.backends.direct_steps.results import Results
from migrate.facts.scopes import Scopes
from migrate.plan import Item, New, Plan
from migrate.program.code import Code, join_code, make_code


class DictResults:
    """The dicts that the steps of a program return, and their uses.

    Args:
      plan: where expressions are replaced.
      new: where statements are replaced.
    """

    def __init__(
        self, program: Program, plan: Plan, new: dict[ast.stmt, list[Item]]
    ) -> None:
        self._program = program
        self._scopes: Scopes = program.scopes
        self._plan = plan
        self._new = new

    def write(self, step: Step, results: Results, calls: list[Code]) -> None:
        """Writes the `return` of a step, and its runs.

        Args:
          calls: its runs as calls of the function.

        Raises:
          NotKnown: a run reads what is no tensor.
        """
        keys = results.keys
        kept = {k: e for k, e in zip(keys, results.elements) if e is not None}
        reads = {run: self._find_reads(run) for run in step.runs}
        asked = [read for found in reads.values() for read in found or ()]
        if any(_read_key(read) not in kept for read in asked) or not kept:
            raise NotKnown
        if None in reads.values() and len(kept) < len(keys):
            raise NotKnown  # Somebody else gets the dict with its None.
        alone = len(kept) == 1 and all(
            self._scopes.parents[run] in (found or ()) or found == []
            for run, found in reads.items()
        )
        for run, called in zip(step.runs, calls):
            parent = self._scopes.parents[run]
            if alone and isinstance(parent, ast.Subscript):
                self._plan.replace(parent, make_code(called, ".numpy()"))
            elif reads[run] is None:
                values = "{key: value.numpy() for key, value in "
                self._plan.replace(run, make_code(values, called, ".items()}"))
            elif isinstance(parent, ast.Subscript):
                key = make_code("[", parent.slice, "].numpy()")
                self._plan.replace(parent, make_code(called, key))
            else:
                self._plan.replace(run, called)
        for read in dict.fromkeys(asked):
            if isinstance(read.value, ast.Name):
                value = make_code(read.value, "[", read.slice, "].numpy()")
                self._plan.replace(read, value)
        self._write_return(results, kept, alone)

    def _write_return(
        self, results: Results, kept: dict[str, ast.expr], alone: bool
    ) -> None:
        statement = results.statement
        assert statement is not None
        shown = {
            key: make_code(f"{self._program.tensorflow}.identity(", e, ")")
            if e in results.read
            else make_code(e)
            for key, e in kept.items()
        }
        if alone:
            value = next(iter(shown.values()))
        else:
            pairs = [
                make_code(json.dumps(key, ensure_ascii=False), ": ", code)
                for key, code in shown.items()
            ]
            value = make_code("{", join_code(", ", pairs), "}")
        self._new[statement] = [New(make_code("return ", value), statement)]

    def _find_reads(self, run: ast.Call) -> list[ast.Subscript] | None:
        """The reads of a run's dict by key; None if it is used in another way."""
        parent = self._scopes.parents[run]
        match parent:
            case ast.Expr():
                return []
            case ast.Subscript(slice=ast.Constant(str())):
                return [parent]
            case ast.Assign(targets=[ast.Name() as target]):
                pass
            case _:
                return None
        owner = self._scopes.find_scope(target).find_owner(target.id)
        if owner is None or not all(map(self._is_run, owner.bindings[target.id])):
            return None
        found: list[ast.Subscript] = []
        for use in self._scopes.list_reads(target):
            match self._scopes.parents[use]:
                case ast.Subscript(slice=ast.Constant(str())) as read if isinstance(
                    read.ctx, ast.Load
                ):
                    found.append(read)
                case _:
                    return None
        return found

    def _is_run(self, binding: ast.AST) -> bool:
        """Whether a name gets the results of a step that returns a dict."""
        for step in self._program.steps.values():
            for run in step.runs:
                if self._scopes.parents[run] is binding:
                    last = step.function.body[-1]
                    return isinstance(last, ast.Return) and isinstance(
                        last.value, ast.Dict
                    )
        return False


def _read_key(read: ast.Subscript) -> str:
    key = read.slice
    assert isinstance(key, ast.Constant)
    return str(key.value)
