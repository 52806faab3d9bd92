"""The text in which a loop over towers is the body of one, which every replica computes."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.normalise.text import Edit, Text
from migrate.normalise.towers import (
    averages,
    checks,
    draws,
    iteration,
    lists,
    prefetch_queues,
    summaries,
    tasks,
    tower_losses,
    updates,
)
from migrate.normalise.towers.body import Body, find_outermost
from migrate.normalise.towers.view import View
from migrate.program import ir
from migrate.tables.roles import TOWER_INDEX

_Line = tuple[str, int]  # With the line (from 1) that it stands for.
# First and last line (from 1, both included), and what stands there instead.
_Splice = tuple[int, int, list[_Line]]


@dataclasses.dataclass(frozen=True)
class Towers:
    """A text whose towers are one.

    Attributes:
      text: it.
      count: how many towers there are, an expression of the text's.
      line: the original line of the loop.
      draw: whether each of them drew a batch for itself.
      updated_by: whose statistics move the averages of batch normalisation: "first",
        "last" or "all"; "" if there is none.
      tasks: where they are on tasks of a cluster, built by one client.
    """

    text: Text
    count: str
    line: int
    draw: bool
    updated_by: str
    tasks: tasks.Tasks | None = None

    def make_replicas(self) -> ir.Towers:
        """Describes the replicas that replace the towers."""
        if self.tasks is None:
            return ir.Towers(self.count, self.updated_by)
        devices, dealt = self.tasks.devices, self.tasks.dealt
        return ir.Towers(self.count, self.updated_by, devices, dealt)


def replace_loop(view: View) -> Towers:
    """The text with its loop over towers as one.

    Raises:
      Unclear: something of the loop is not read.
    """
    checks.check(view)
    view = prefetch_queues.draw_per_tower(view) or view
    view = tasks.write_out_devices(view)
    scope = ""
    if summaries.writes_summaries(view):
        view = summaries.gather_summaries(view)
        scope = summaries.find_scope(view)
    over = iteration.read_iteration(view, view.loop.target, view.loop.iter)
    index = over.index or view.choose_free_name("tower")
    placed = tasks.place_towers(view, over, index)
    updated_by = ""
    if updates.normalises(view):
        view, updated_by = updates.move_updates(view, index)
    drawn = draws.join_draws(view, over, index)
    view = drawn or view
    body = Body(view, index)
    filled = lists.find_filled_lists(view, body.statements)
    gradients: list[lists.Gradients] = []
    losses: list[tower_losses.Minimised] = []
    if view.lists_losses:
        losses = tower_losses.find(view, over.count)
    else:
        gradients = lists.find_gradients(view, body.statements, over.count)
    lines = [
        *_write_names(view, body, over, index),
        *([(f"replicas.under({scope})", view.loop.lineno)] if scope else []),
        *_write_one_tower(view, body, gradients),
    ]
    if scope and not summaries.ends(view):
        lines.append(('replicas.under("")', view.loop.lineno))
    after = (
        _replace_average(view, gradients)
        if gradients
        else _replace_minimize(view, losses)
    )
    text = _splice_lines(view, lines, after, list(filled.values()))
    line = view.text.origins[view.loop.lineno - 1]
    return Towers(text, over.count, line, drawn is not None, updated_by, placed)


def _write_names(
    view: View, body: Body, over: iteration.Iterated, index: str
) -> Iterator[_Line]:
    """Writes the names that the loop bound as assignments."""
    at = view.loop.lineno
    yield f"{index} = {TOWER_INDEX}", at
    for name, value in over.values:
        yield f"{name} = {value.replace('{index}', index)}", at
    read = set().union(*[names.find_reads(s) for s in body.statements])
    for scope in body.find_scope_names():
        if scope in read:
            yield f"{scope} = None", at


def _write_one_tower(
    view: View, body: Body, gradients: list[lists.Gradients]
) -> Iterator[_Line]:
    """The loop's body for one tower, its lists gathered from all."""
    shown: list[_Line] = []  # Names of the first tower that are read after the loop.
    for statement in body.statements:
        at = statement.lineno
        listed = lists.read_append(view, statement)
        own = next((g for g in gradients if statement is g.appended), None)
        if own is not None:
            if own.made is not None:
                yield f"{own.name} = {own.made}", at
        elif listed is not None:
            name, value = listed
            yield f"{name} = replicas.towers({value})", at
        elif (added := body.adds_up(statement)) is not None:
            name, value = added
            yield f"{name} = tf.add_n(replicas.towers({value}))", at
        elif body.is_only_for_first(statement):
            assert isinstance(statement, ast.If)
            for inner in statement.body:
                yield from ((line, inner.lineno) for line in body.write_lines(inner))
                shown += [
                    (name, inner.lineno)
                    for name in sorted(names.find_binds(inner))
                    if view.find_reads_after(name)
                ]
        elif not body.sets_flag(statement):
            checks.check_changes(view, statement)
            yield from ((line, at) for line in body.write_lines(statement))
    for statement in body.statements:
        bound = names.find_binds(statement)
        if body.sets_flag(statement) and any(map(view.find_reads_after, bound)):
            yield from (
                (line, statement.lineno) for line in body.write_lines(statement)
            )
    for name, at in shown:
        if view.is_only_fetched(name):
            yield f"{name} = replicas.of_first({name})", at
        else:
            yield f"{name} = replicas.towers({name})[0]", at


def _splice_lines(
    view: View,
    lines: list[_Line],
    after: tuple[Text, list[_Splice]],
    made: list[ast.Assign],
) -> Text:
    """The text with the loop, what follows it and the empty lists replaced."""
    outer = find_outermost(view)
    indent = _indent(view, outer)
    one = [(indent + line if line else line, at) for line, at in lines]
    text, splices = after
    splices.append((*_find_span(outer), one))
    splices += [(*_find_span(statement), []) for statement in made]
    for (
        first,
        last,
        new,
    ) in sorted(splices, key=lambda splice: -splice[0]):
        origins = [view.text.origins[at - 1] for _, at in new]
        text = text.splice(first, last, [line for line, _ in new], origins)
    return text


def _replace_average(
    view: View, gradients: list[lists.Gradients]
) -> tuple[Text, list[_Splice]]:
    """Replaces the average of the towers' gradients by one tower's, to be averaged."""
    edits: list[Edit] = []
    splices: list[_Splice] = []
    for own in gradients:
        average = own.average
        kept = average.statement
        new = own.name
        if not average.pairs:
            new = f"replicas.means({own.name})"
        elif not average.applied:
            new = f"replicas.averaged({own.name})"
        if average.value is not None:
            edits.append(Edit(average.value, new))
            whole = isinstance(kept, ast.Assign) and kept.value is average.value
            if whole and names.find_binds(kept) == {new}:
                splices.append((*_find_span(kept), []))  # It is named so already.
            continue
        line = f"{_indent(view, kept)}{average.result} = {new}"
        splices.append((*_find_span(kept), [(line, kept.lineno)]))
        if average.begun is not None:
            splices.append((average.begun.lineno, average.begun.lineno, []))
    return view.text.apply_edits(edits), splices


def _replace_minimize(
    view: View, losses: list[tower_losses.Minimised]
) -> tuple[Text, list[_Splice]]:
    """Replaces the losses of all towers in an update by the tower's own loss."""
    edits = []
    for one in losses:
        call = one.call
        if one.whole or averages.goes_into_an_update(view.scopes, call):
            edits.append(Edit(one.loss, one.own))
            continue
        given = [view.flatten_expression(a) for a in call.args if a is not one.loss]
        given += [
            f"{k.arg}={view.flatten_expression(k.value)}"
            for k in call.keywords
            if k.value is not one.loss
        ]
        computed = (
            f"{view.flatten_expression(call.func)}({', '.join([one.own, *given])})"
        )
        how = "averaged" if one.pairs else "means"
        edits.append(Edit(call, f"replicas.{how}({computed})"))
    return view.text.apply_edits(edits), []


def _find_span(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.end_lineno or statement.lineno


def _indent(view: View, statement: ast.stmt) -> str:
    return view.text.lines[statement.lineno - 1][: statement.col_offset]
