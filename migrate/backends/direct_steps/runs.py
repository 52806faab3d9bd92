"""Writes the runs of steps: calls of functions, whose results become values of NumPy."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Step
from migrate.backends.direct_steps.results import Results, is_unread
from migrate.facts.scopes import Scopes
from migrate.plan import Dropped, Item, New, Plan
from migrate.program.code import Code, join_code, make_code


class Runs:
    """The runs of a program's steps.

    Args:
      tensorflow: the name that the program has for it.
      plan: where expressions are replaced.
      new: where statements are replaced.
    """

    def __init__(
        self,
        scopes: Scopes,
        tensorflow: str,
        plan: Plan,
        new: dict[ast.stmt, list[Item]],
    ) -> None:
        self._scopes = scopes
        self._tf = tensorflow
        self._plan = plan
        self._new = new

    def is_taken_apart(
        self, run: ast.Call, elements: Sequence[ast.expr | None]
    ) -> bool:
        """Whether a list's elements get names, and those of operations are not read."""
        match self._scopes.parents[run]:
            case ast.Expr():
                return True
            case ast.Assign(targets=[ast.Tuple(targets) | ast.List(targets)]):
                return len(targets) == len(elements) and all(
                    not isinstance(t, ast.Starred)
                    and (e is not None or is_unread(t, self._scopes))
                    for t, e in zip(targets, elements)
                )
            case ast.Subscript(slice=ast.Constant(int(place))):
                return 0 <= place < len(elements) and elements[place] is not None
            case ast.Subscript(slice=ast.Slice(None, ast.Constant(int(end)), None)):
                return 0 < end == len([e for e in elements if e is not None]) and (
                    None not in elements[:end]
                )
        return False

    def write_call(self, run: ast.Call) -> Code:
        """Writes a run as the call of its step."""
        arguments = [write_argument(a) for a in run.args[1:]]
        return make_code(run.args[0], "(", join_code(", ", arguments), ")")

    def write_run(self, run: ast.Call, results: Results, kept: int) -> None:
        called = self.write_call(run)
        parent = self._scopes.parents[run]
        elements = results.elements
        if isinstance(parent, ast.Expr) or not kept:
            if not kept and elements and not isinstance(parent, ast.Expr):
                raise NotKnown  # A list without elements.
            self._plan.replace(run, called)
            return
        if not results.many:
            self._plan.replace(run, make_code(called, ".numpy()"))
            return
        values = make_code("[value.numpy() for value in ", called, "]")
        match parent:
            case ast.Subscript(slice=ast.Slice()) if kept < len(elements):
                if kept == 1:
                    values = make_code("[", called, ".numpy()]")
                self._plan.replace(parent, values)
            case ast.Subscript(slice=ast.Constant(int(place))) if (
                0 <= place < len(elements)
            ):
                before = [e for e in elements[:place] if e is not None]
                at = f"[{len(before)}]" if kept > 1 or kept == len(elements) else ""
                self._plan.replace(parent, make_code(called, at, ".numpy()"))
            case ast.Assign(targets=[ast.Tuple(targets) | ast.List(targets)]) if (
                kept < len(elements)
            ):
                left = [t for t, e in zip(targets, elements) if e is not None]
                what = make_code(called, ".numpy()") if kept == 1 else values
                new = make_code(join_code(", ", left), " = ", what)
                self._new[parent] = [New(new, parent)]
            case _:
                self._plan.replace(run, values)

    def write_elements(self, step: Step) -> None:
        """Drops a step that gives a dataset's element as it is: its runs take that."""
        self._new[step.function] = [Dropped(step.function)]
        for run in step.runs:
            given = run.args[1]
            element = given.value if isinstance(given, ast.Starred) else given
            parent = self._scopes.parents[run]
            if isinstance(parent, ast.Expr):
                self._plan.replace(run, make_code(element))
                continue
            values = make_code(
                f"{self._tf}.nest.map_structure(lambda value: value.numpy(), ",
                element,
                ")",
            )
            match parent:
                case ast.Assign(targets=[ast.Tuple() | ast.List()]):
                    pass
                case _ if isinstance(given, ast.Starred):
                    values = make_code("list(", values, ")")
            self._plan.replace(run, values)

    def gives_variables(self, step: Step, results: Results) -> bool:
        """Whether a step gives the values of variables that its runs can name, too."""
        if len(step.function.body) > 1 or not results.elements or step.decorator.args:
            return False
        scope = self._scopes.scope_by_node[step.function]
        return all(
            isinstance(e, ast.Name)
            and e in results.read
            and self._scopes.find_scope(run.args[0]).find_owner(e.id)
            is scope.find_owner(e.id)
            for e in results.elements
            for run in step.runs
        )

    def write_variables(self, step: Step, results: Results) -> None:
        """Drops a step that only gives the values of variables: `[w.numpy(), b.numpy()]`."""
        self._new[step.function] = [Dropped(step.function)]
        values = [make_code(e, ".numpy()") for e in results.elements if e is not None]
        for run in step.runs:
            listed = join_code(", ", values)
            new = make_code("[", listed, "]") if results.many else listed
            self._plan.replace(run, new)


def write_argument(node: ast.expr) -> Code:
    """Writes an argument as it stood."""
    if isinstance(node, ast.Starred):
        return make_code("*", node.value)
    return make_code(node)
