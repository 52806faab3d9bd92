"""An update that every branch of a condition makes: it is made once, after the condition.

if params.adam:                              if params.adam:
    train_op = tf.train.AdamOptimizer(           optimizer = tf.train.AdamOptimizer(
        rate).minimize(loss, step)                   rate)
else:                                        else:
    train_op = tf.train.FtrlOptimizer(           optimizer = tf.train.FtrlOptimizer(
        rate).minimize(loss, step)                   rate)
                                             train_op = optimizer.minimize(loss, step)

What is moved stood last in its branch, so that everything is done in the order it was.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names, normalised_branches
from migrate.facts.branches import is_elif, list_suites
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import is_none
from migrate.normalise.model_forms.parts import (
    find_free_name,
    find_own_statement,
    indent,
    spell_expression,
)
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first
from migrate.tables.optimizers import OPTIMIZERS

_UPDATES = ("minimize", "apply_gradients")
_DEPENDENCIES = "tf.control_dependencies"


class _Not(Exception):
    """A condition that stays: its branches do not end alike."""


def unite_branches(
    text: Text,
    scopes: Scopes,
    function: ast.FunctionDef,
    quiet: frozenset[str] = frozenset(),
) -> Text | None:
    """The text with one more update after its condition; None if there is none.

    Args:
      quiet: functions of other files that normalise no batches.
    """
    for node in names.walk_scope_of_function(function):
        try:
            if isinstance(node, ast.If) and not is_elif(node, scopes):
                return _Union(text, scopes, function, node, quiet).run()
            if isinstance(node, ast.IfExp):
                return _choose_optimizer(text, scopes, function, node)
        except _Not:
            continue
    return None


@dataclasses.dataclass(frozen=True)
class _End:
    """One branch's end, with its update.

    Attributes:
      last: its last statement.
      update: `train_op = optimizer.minimize(...)`, which is that, or the last one in it.
      call: of the update.
      optimizer: whose method is called.
    """

    last: ast.stmt
    update: ast.Assign
    call: ast.Call
    optimizer: ast.expr

    @property
    def around(self) -> ast.With | None:
        """Returns the `with` whose operations the update waits for, if any."""
        return self.last if isinstance(self.last, ast.With) else None

    @property
    def target(self) -> str:
        target = self.update.targets[0]
        assert isinstance(target, ast.Name)
        return target.id

    def make_key(self) -> tuple[str, ...]:
        """Returns the parts of the update that must be the same in every branch."""
        assert isinstance(self.call.func, ast.Attribute)
        given = [ast.dump(a) for a in (*self.call.args, *self.call.keywords)]
        return (self.target, self.call.func.attr, *given)


def _is_in_brackets(call: ast.Call) -> bool:
    """Whether brackets stand around what a method is called of."""
    assert isinstance(call.func, ast.Attribute)
    of = call.func.value
    return (call.lineno, call.col_offset) != (of.lineno, of.col_offset)


class _Union:
    """Moves the update of one condition's branches."""

    def __init__(
        self,
        text: Text,
        scopes: Scopes,
        function: ast.FunctionDef,
        node: ast.If,
        quiet: frozenset[str],
    ) -> None:
        self._text, self._scopes, self._quiet = text, scopes, quiet
        self._function, self._node = function, node

    def run(self) -> Text:
        """Returns the text with the one update.

        Raises:
          _Not: the branches do not end in the same update.
        """
        ends = [self._find_end(suite) for suite in self._find_ending()]
        if len(ends) < 2 or len({end.make_key() for end in ends}) > 1:
            raise _Not
        self._check_bound(ends[0].target)
        waiting = self._find_waiting(ends)
        name = self._choose_name(ends)
        text = self._text
        moved = self._write_update(waiting or ends[0], name)
        after = self._node.end_lineno or self._node.lineno
        at = text.origins[ends[0].update.lineno - 1]
        text = text.splice(after + 1, after, moved, [at] * len(moved))
        if all(self._is_whole(end, name) for end in ends):
            if any(
                isinstance(n, (ast.Call, ast.NamedExpr)) for n in self._walk_tests()
            ):
                raise _Not
            if len(list(list_suites(self._node))) == len(ends):
                comments, origins = self._find_comments()
                return text.splice(self._node.lineno, after, comments, origins)
        for end in reversed(ends):
            lines = self._write_optimizer(end, name)
            first, last = end.last.lineno, end.last.end_lineno or end.last.lineno
            origins = [self._text.origins[end.update.lineno - 1]] * len(lines)
            text = text.splice(first, last, lines, origins)
        return text

    def _find_comments(self) -> tuple[list[str], list[int]]:
        """Returns the comments of a removed condition, with their original lines."""
        margin = indent(self._text, self._node)
        first, last = self._node.lineno, self._node.end_lineno or self._node.lineno
        found = [
            (margin + line, self._text.origins[number - 1])
            for number in range(first, last)
            if (line := self._text.lines[number - 1].strip()).startswith("#")
        ]
        return [line for line, _ in found], [origin for _, origin in found]

    def _walk_tests(self) -> Iterator[ast.AST]:
        node: ast.stmt = self._node
        while isinstance(node, ast.If):
            yield from walk_breadth_first(node.test)
            if len(node.orelse) != 1:
                return
            node = node.orelse[0]

    def _find_ending(self) -> Iterator[list[ast.stmt]]:
        """Returns the branches that reach their end; the others raise an error."""
        for suite in list_suites(self._node):
            if suite and not isinstance(suite[-1], ast.Raise):
                yield suite

    def _find_end(self, suite: list[ast.stmt]) -> _End:
        last = update = suite[-1]
        if isinstance(last, ast.With):
            if any(
                item.optional_vars is not None
                or not isinstance(item.context_expr, ast.Call)
                or self._scopes.resolve(item.context_expr.func) != _DEPENDENCIES
                for item in last.items
            ):
                raise _Not
            update = last.body[-1]
            for other in last.body[:-1]:
                value = getattr(other, "value", None)
                made = value.func if isinstance(value, ast.Call) else None
                if made is None or self._scopes.resolve(made) not in OPTIMIZERS:
                    raise _Not
        if not isinstance(update, ast.Assign) or len(update.targets) > 1:
            raise _Not
        call = update.value
        if not isinstance(call, ast.Call) or not isinstance(
            update.targets[0], ast.Name
        ):
            raise _Not
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _UPDATES:
            raise _Not
        if self._scopes.resolve(call.func) is not None:
            raise _Not
        parts = [s for s in walk_breadth_first(last) if isinstance(s, ast.stmt)]
        alone = all(self._text.is_alone(s) for s in parts)
        if (
            not alone
            or find_lines_inside_strings(last)
            or "\\\n" in self._text.find_segment(last)
        ):
            raise _Not
        if suite[0].lineno == self._node.lineno or _is_in_brackets(call):
            raise _Not
        return _End(last, update, call, call.func.value)

    def _check_bound(self, target: str) -> None:
        """Refuses an earlier value of the name if the condition has no `else`.

        Raises:
          _Not: it has one.
        """
        if all(list_suites(self._node)):
            return
        inside = set(walk_breadth_first(self._node))
        for node in walk_breadth_first(self._function):
            if isinstance(node, ast.Name) and node.id == target and node not in inside:
                # `train_op = None` above is the value in other modes.
                statement = self._scopes.parents.get(node)
                known = isinstance(statement, ast.stmt) and is_none(statement)
                if isinstance(node.ctx, ast.Store) and not known:
                    raise _Not

    def _find_waiting(self, ends: list[_End]) -> _End | None:
        """The branch whose update waits for the averages of layers, if one does.

        Raises:
          _Not: another one does not, and has such layers too.
        """
        around = [end.around for end in ends]
        if not any(around):
            return None
        items = {"".join(ast.dump(i) for i in w.items) for w in around if w is not None}
        if len(items) > 1:
            raise _Not
        if None in around:
            only = len(ends) == 2 and around[0] is not None
            if not only or not normalised_branches.is_only_there(
                self._node.test, self._function, self._scopes, self._quiet
            ):
                raise _Not
        return next(end for end in ends if end.around is not None)

    def _choose_name(self, ends: list[_End]) -> str:
        """The name of the optimizer after the condition."""
        found = {e.optimizer.id for e in ends if isinstance(e.optimizer, ast.Name)}
        inside = set(walk_breadth_first(self._node))
        if len(found) == 1:
            (name,) = found
            outside = any(
                isinstance(node, ast.Name) and node.id == name and node not in inside
                for node in walk_breadth_first(self._function)
            )
            if all(isinstance(e.optimizer, ast.Name) for e in ends):
                return name
            if not outside and "opt" in name.lower():
                return name  # Of `adagrad`, others are none.
        return find_free_name("optimizer", self._function, self._scopes)

    def _is_whole(self, end: _End, name: str) -> bool:
        """Whether nothing but the update is in a branch."""
        parent = self._scopes.parents.get(end.last)
        assert isinstance(parent, ast.If)
        suite = parent.body if end.last in parent.body else parent.orelse
        inner = end.around.body if end.around is not None else [end.update]
        same = isinstance(end.optimizer, ast.Name) and end.optimizer.id == name
        return len(suite) == 1 and len(inner) == 1 and same

    def _write_optimizer(self, end: _End, name: str) -> list[str]:
        """Writes the rest of a branch's last statement: `name = optimizer`."""
        margin = indent(self._text, end.last)
        lines: list[str] = []
        if end.around is not None:
            for other in end.around.body[:-1]:
                lines += self._indent_statement(margin, other, self._text)
        if not isinstance(end.optimizer, ast.Name) or end.optimizer.id != name:
            rest = ast.Pass(
                lineno=end.optimizer.end_lineno or 0,
                col_offset=end.optimizer.end_col_offset or 0,
                end_lineno=end.call.end_lineno,
                end_col_offset=end.call.end_col_offset,
            )
            edits = [Edit(end.update.targets[0], name), Edit(rest, "")]
            return lines + self._indent_statement(
                margin, end.update, self._text.apply_edits(edits)
            )
        return lines or ([f"{margin}pass"] if self._is_whole(end, name) else [])

    def _write_update(self, end: _End, name: str) -> list[str]:
        """The update, as it stands after the condition."""
        margin = indent(self._text, self._node)
        text = self._text.apply_edits([Edit(end.optimizer, name)])
        if end.around is None:
            return self._indent_statement(margin, end.update, text)
        step = indent(self._text, end.update)[len(indent(self._text, end.last)) :]
        first = end.around.body[0]
        head = ast.Pass(lineno=end.around.lineno, end_lineno=first.lineno - 1)
        lines = self._indent_statement(margin, head, text)
        return lines + self._indent_statement(margin + step, end.update, text)

    def _indent_statement(self, margin: str, node: ast.stmt, text: Text) -> list[str]:
        """A statement's lines at another depth."""
        old = text.lines[node.lineno - 1]
        old = old[: len(old) - len(old.lstrip())]
        lines = text.lines[node.lineno - 1 : node.end_lineno or node.lineno]
        return [
            margin + (line[len(old) :] if line.startswith(old) else line.lstrip())
            for line in lines
            if line.strip()
        ]


def _choose_optimizer(
    text: Text, scopes: Scopes, function: ast.FunctionDef, node: ast.IfExp
) -> Text:
    """`a.minimize(loss) if test else b.minimize(loss)`: one optimizer, one update."""
    ends: list[ast.Call] = []
    for value in (node.body, node.orelse):
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            raise _Not
        if value.func.attr not in _UPDATES or scopes.resolve(value.func) is not None:
            raise _Not
        if _is_in_brackets(value) or "#" in text.find_segment(value):
            raise _Not
        ends.append(value)
    one, other = (
        [
            value.func.attr,  # type: ignore[attr-defined]
            *(ast.dump(a) for a in (*value.args, *value.keywords)),
        ]
        for value in ends
    )
    statement = find_own_statement(node, function, text, scopes)
    if one != other or statement is None or find_lines_inside_strings(statement):
        raise _Not
    name = find_free_name("optimizer", function, scopes)
    margin = indent(text, statement)
    step = indent(text, function.body[-1])[len(indent(text, function)) :]
    values = [spell_expression(text, end.func.value) for end in ends]  # type: ignore[attr-defined]
    test = text.find_segment(node.test)
    if "\n" in test:
        test = f"({test})"
    made = "\n".join(
        [
            f"{margin}if {test}:",
            f"{margin}{step}{name} = {values[0]}",
            f"{margin}else:",
            f"{margin}{step}{name} = {values[1]}",
        ]
    ).split("\n")
    receiver = ends[0].func.value  # type: ignore[attr-defined]
    given = text.find_segment(ends[0])[len(text.find_segment(receiver)) :]
    new = text.apply_edits([Edit(node, name + " ".join(given.split()))])
    at = statement.lineno
    return new.splice(at, at - 1, made, [text.origins[at - 1]] * len(made))
