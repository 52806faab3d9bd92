"""Findings about a program's form, at the lines of the file that it came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.outcomes import PART
from migrate.planning.choice import has_refusal, leave_program_whole
from migrate.planning.forms import Form
from migrate.planning.own_words import say_in_own_words

if TYPE_CHECKING:
    from migrate.normalise import towers


def report_unread_towers(text: str) -> Iterator[Finding]:
    """Reports why a loop over towers in a refused program cannot become replicas."""
    from migrate.normalise import towers

    found = towers.explain_refusal(text)
    if found is not None:
        line, reason = found
        yield Finding(
            line,
            1,
            "N126",
            Outcome.REFUSED,
            "",
            f"the loop over towers cannot become replicas: {reason}",
            "Build only one tower, as a replica of tf.distribute.MirroredStrategy.",
        )


def report_unread_queues(text: str) -> Iterator[Finding]:
    """Reports why input by queues in a refused program cannot become datasets."""
    from migrate.normalise import Text, queues

    found = queues.explain_refusal(Text.read_source(text))
    if found is not None:
        yield queues.make_refusal(found)


def place_at_origins(
    findings: list[Finding], form: Form, original: str
) -> list[Finding]:
    """Findings at the lines of the file they came from, and what was brought where.

    Args:
      original: the file, in whose words they are.
    """
    moved = [
        dataclasses.replace(f, line=form.text.origins[f.line - 1])
        for f in say_in_own_words(findings, form.text, original)
        if f.line <= len(form.text.origins)
    ]
    if not has_refusal(form.findings):
        moved.extend((*form.changes.noted, *form.noted))
    if form.towers is not None:
        moved.append(_report_replicated(form, form.towers))
        moved.extend(_report_towers(form.towers))
    moved.extend(_report_in_place(form))
    for title, line in form.brought:
        text = (
            f"`{title}` builds what the session runs, so its body is now where "
            "the session is opened"
        )
        moved.append(_make_rewritten(line, "S130", title, text))
    return list(dict.fromkeys(moved))


def name_own_parts(findings: Iterable[Finding], scopes: Scopes) -> Iterator[Finding]:
    """Yields a refused program's findings, with the parts that its own file has.

    Args:
      findings: those of the program's form, at the file's lines.
      scopes: of the file.
    """
    reasons = [f for f in findings if f.code != PART]
    yield from reasons
    at = {(f.line, f.column) for f in reasons}
    for part in leave_program_whole(scopes):
        if part.code == PART and (part.line, part.column) not in at:
            yield part


def _make_rewritten(line: int, code: str, symbol: str, text: str) -> Finding:
    return Finding(line, 1, code, Outcome.REWRITTEN, symbol, text)


def _report_replicated(form: Form, towers_: towers.Towers) -> Finding:
    """Reports the rewritten loop over towers."""
    loop = f"the loop over {towers_.count} towers"
    if "towers_of_workers.py" in form.plan.support:
        code = "S138"
        text = f"{loop}: each worker computes one after the other, and averages them"
    elif towers_.tasks is not None:
        code = "N128"
        text = (
            f"{loop}: a replica each on its own task of the cluster; their gradients are "
            "averaged and applied where the variables are"
        )
    else:
        code = "S138"
        text = f"{loop}: a replica each of a MirroredStrategy, which averages their gradients"
    return _make_rewritten(towers_.line, code, "", text)


def _report_towers(towers_: towers.Towers) -> Iterator[Finding]:
    """Reports what towers did in any order, and now do in a fixed one."""
    if towers_.updated_by:
        whose = towers_.updated_by
        order = "all towers', one after the other, in TF1 in any order"
        yield _make_rewritten(
            towers_.line,
            "S138",
            "",
            "batches are normalised by each tower's part; the averages are moved by "
            + (order if whose == "all" else f"the {whose} tower's"),
        )
    if towers_.draw:
        yield _make_rewritten(
            towers_.line,
            "S138",
            "",
            "each tower drew a batch: a step has as many, the first for the first "
            "tower; in TF1 which tower had which was not defined",
        )


def _report_in_place(form: Form) -> Iterator[Finding]:
    """Reports the changes that brought the program into a known form."""
    for line, reason in form.changes.chiefs:
        text = f"{reason}; the worker of index 0 is the chief now"
        yield _make_rewritten(line, "D111", "", text)
    for line in form.changes.split:
        yield _make_rewritten(
            line,
            "C111",
            "tf.device",
            "variables on parameter servers and the rest on the own worker: a "
            "ParameterServerStrategy, which deals variables to the servers in turn",
        )
    for line in form.changes.done:
        yield _make_rewritten(
            line,
            "C110",
            "tf.FIFOQueue",
            "parameter servers end when every worker has finished: the "
            "coordinator tells them",
        )
    for line in form.changes.supervised:
        yield _make_rewritten(
            line,
            "S115",
            "tf.train.Supervisor",
            "a MonitoredTrainingSession: it also saves when training ends, and logs "
            "the speed every 100 steps",
        )
