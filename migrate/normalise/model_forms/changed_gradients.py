"""Gradients that some branches of a condition change: they are computed and applied once.

                                             gradients = optimizer.compute_gradients(loss)
if params.clip:                              if params.clip:
    grads, variables = zip(                      grads, variables = zip(*gradients)
        *optimizer.compute_gradients(loss))
    grads, _ = tf.clip_by_global_norm(           grads, _ = tf.clip_by_global_norm(
        grads, 5.0)                                  grads, 5.0)
    train_op = optimizer.apply_gradients(        gradients = zip(grads, variables)
        zip(grads, variables), step)
else:
    train_op = optimizer.minimize(
        loss, step)                          train_op = optimizer.apply_gradients(
                                                 gradients, step)
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.branches import is_elif, list_suites
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import writes_summary
from migrate.normalise.model_forms.parts import find_free_name, indent, spell_expression
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first

_PARAMETERS = {
    "minimize": ("loss", "global_step"),
    "apply_gradients": ("grads_and_vars", "global_step"),
    "compute_gradients": ("loss",),
}


class _Not(Exception):
    """A condition that stays."""


@dataclasses.dataclass(frozen=True)
class _Branch:
    """A branch that ends in an update.

    Attributes:
      update: its last statement.
      loss: what is minimised in it; None if only given gradients are applied.
      step: what counts the updates.
      applied: the gradients of apply_gradients, else None.
      computing: the statement, and the call, that computes them.
    """

    suite: list[ast.stmt]
    update: ast.Assign
    loss: ast.expr | None
    step: ast.expr | None
    applied: ast.expr | None
    computing: tuple[ast.stmt, ast.Call] | None


def unite_updates(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with one more such condition; None if there is none."""
    for node in names.walk_scope_of_function(function):
        if isinstance(node, ast.If) and not is_elif(node, scopes):
            try:
                return _Union(text, scopes, function, node).run()
            except _Not:
                continue
    return None


class _Union:
    """Brings out of one condition what its branches have in common."""

    def __init__(
        self, text: Text, scopes: Scopes, function: ast.FunctionDef, node: ast.If
    ) -> None:
        self._text, self._scopes = text, scopes
        self._function, self._node = function, node
        self._optimizer = self._target = ""

    def run(self) -> Text:
        """Returns the text with the one update.

        Raises:
          _Not: the branches do not update with the same optimizer, loss and step.
        """
        every = list(list_suites(self._node))
        if not all(every):
            raise _Not
        ends = [self._read_branch(s) for s in every if not isinstance(s[-1], ast.Raise)]
        computed = [end for end in ends if end.loss is not None]
        if len(ends) < 2 or all(end.applied is None for end in ends):
            raise _Not
        if computed and len(computed) < len(ends):
            raise _Not
        for parts in ([e.step for e in ends], [e.loss for e in ends]):
            if len({"" if p is None else ast.dump(p) for p in parts}) > 1:
                raise _Not
        name, kept = self._choose_name(ends)
        new = self._write_update(ends, name)
        text, last = self._text, self._node.end_lineno or self._node.lineno
        at = text.origins[ends[0].update.lineno - 1]
        text = text.splice(last + 1, last, new, [at] * len(new))
        for end in reversed(ends):
            text = self._change_branch(text, end, name, kept)
        if computed:
            assert ends[0].loss is not None
            loss = spell_expression(self._text, ends[0].loss)
            made = f"{name} = {self._optimizer}.compute_gradients({loss})"
            first = self._node.lineno
            line = indent(self._text, self._node) + made
            text = text.splice(first, first - 1, [line], [at])
        return text

    def _read_branch(self, suite: list[ast.stmt]) -> _Branch:
        update = suite[-1]
        if not isinstance(update, ast.Assign) or len(update.targets) > 1:
            raise _Not
        call, target = update.value, update.targets[0]
        if not isinstance(target, ast.Name) or not isinstance(call, ast.Call):
            raise _Not
        method = self._find_method(call)
        optimizer = ast.unparse(call.func.value) if method else ""  # type: ignore[attr-defined]
        if method not in ("minimize", "apply_gradients"):
            raise _Not
        self._optimizer = self._optimizer or optimizer
        self._target = self._target or target.id
        bound = names.bind_arguments(call, _PARAMETERS[method])
        if bound is None or (self._optimizer, self._target) != (optimizer, target.id):
            raise _Not
        if any(
            not self._text.is_alone(s) or find_lines_inside_strings(s) for s in suite
        ):
            raise _Not
        if any(optimizer in names.find_binds(s) for s in suite):
            raise _Not
        if any(writes_summary(s, self._scopes) for s in suite):
            raise _Not  # Its tag may have the name of a scope.
        computing = None
        loss = bound.get("loss")
        if method == "minimize":
            _check_before(suite[:-1], call)
        elif computing := self._find_computing(suite):
            loss = names.find_argument(computing[1], "loss", 0)
        applied = bound.get("grads_and_vars")
        if applied is None and loss is None:
            raise _Not
        return _Branch(
            suite, update, loss, bound.get("global_step"), applied, computing
        )

    def _find_method(self, call: ast.Call) -> str:
        """Returns the method's name in `optimizer.minimize(...)`; "" for others."""
        if isinstance(call.func, ast.Attribute) and isinstance(
            call.func.value, ast.Name
        ):
            if (
                call.func.attr in _PARAMETERS
                and self._scopes.resolve(call.func) is None
            ):
                return call.func.attr
        return ""

    def _find_computing(
        self, suite: list[ast.stmt]
    ) -> tuple[ast.stmt, ast.Call] | None:
        """Finds the statement that computes a branch's gradients, before all others."""
        found = [
            (statement, node)
            for statement in suite
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Call)
            and self._find_method(node) == "compute_gradients"
        ]
        if not found:
            return None
        statement, call = found[0]
        bound = names.bind_arguments(call, _PARAMETERS["compute_gradients"])
        if len(found) > 1 or bound is None or "loss" not in bound:
            raise _Not
        if ast.unparse(call.func.value) != self._optimizer:  # type: ignore[attr-defined]
            raise _Not
        if not isinstance(statement, ast.Assign):
            raise _Not
        _check_before(suite[: suite.index(statement)], call)
        return statement, call

    def _choose_name(self, ends: list[_Branch]) -> tuple[str, bool]:
        """Chooses the gradients' name; also whether branches had that name before."""
        named: set[str] = set()
        for end in ends:
            if end.computing is not None:
                statement, call = end.computing
                whole = isinstance(statement, ast.Assign) and statement.value is call
                target = (
                    statement.targets[0] if isinstance(statement, ast.Assign) else 0
                )
                named.add(target.id if whole and isinstance(target, ast.Name) else "")
        inside = set(walk_breadth_first(self._node))
        if len(named) == 1 and (name := named.pop()):
            if not any(
                isinstance(n, ast.Name) and n.id == name and n not in inside
                for n in walk_breadth_first(self._function)
            ):
                return name, True
        for name in ("gradients", "grads_and_vars"):
            if name == find_free_name(name, self._function, self._scopes):
                return name, False
        return find_free_name("gradients", self._function, self._scopes), False

    def _write_update(self, ends: list[_Branch], name: str) -> list[str]:
        """The update after the condition."""
        step = ends[0].step
        given = (
            ""
            if step is None
            else f", global_step={spell_expression(self._text, step)}"
        )
        made = f"{self._optimizer}.apply_gradients({name}{given})"
        return [f"{indent(self._text, self._node)}{self._target} = {made}"]

    def _change_branch(self, text: Text, end: _Branch, name: str, kept: bool) -> Text:
        """The text with a branch that only changes the gradients."""
        margin = indent(self._text, end.update)
        lines: list[str] = []
        if end.applied is not None and ast.unparse(end.applied) != name:
            lines = (
                f"{margin}{name} = {spell_expression(self._text, end.applied)}".split(
                    "\n"
                )
            )
        taken: list[ast.stmt] = [end.update]
        if kept and end.computing is not None:
            taken.append(end.computing[0])
        first, last = end.update.lineno, end.update.end_lineno or end.update.lineno
        if not lines and len(end.suite) == len(taken):
            branch = self._scopes.parents[end.update]
            above = self._text.lines[first - 2].strip()
            if end.suite == getattr(branch, "orelse", None) and above == "else:":
                first -= 1
            else:
                lines = [f"{margin}pass"]
        at = self._text.origins[end.update.lineno - 1]
        text = text.splice(first, last, lines, [at] * len(lines))
        if end.computing is None:
            return text
        statement, call = end.computing
        if kept:
            last = statement.end_lineno or statement.lineno
            return text.splice(statement.lineno, last, [], [])
        text = text.apply_edits([Edit(call, name)])
        for number in range(call.end_lineno or call.lineno, call.lineno, -1):
            if not text.lines[number - 1].strip():
                text = text.splice(number, number, [], [])
        return text


def _check_before(statements: list[ast.stmt], computing: ast.Call) -> None:
    """Checks that gradients may be computed before the statements above them.

    Raises:
      _Not: such a statement may change the loss: it binds a name of it, or calls
        something (a penalty may be collected).
    """
    for before in statements:
        if any(isinstance(n, ast.Call) for n in walk_breadth_first(before)):
            raise _Not
        if names.find_binds(before) & names.find_reads(computing):
            raise _Not
