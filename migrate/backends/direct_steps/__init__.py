"""Steps of one process, called as what they are: functions of TensorFlow 2.

A result that asks a session for its steps imports an object that imitates one. Where the
program asks nothing else of it, the session goes: a step is a `tf.function`, and each run
is its call. The program must be one of which it is known that this computes the same; else
it stays as it is.
"""

from __future__ import annotations

import dataclasses

from migrate import emitted
from migrate.backends.direct_steps.edits import WRITER, write_calls
from migrate.backends.direct_steps.feeds import takes_as_fed
from migrate.backends.direct_steps.program import BASE, MODULE
from migrate.backends.direct_steps.reader import read
from migrate.backends.direct_steps.tracing import is_same_later, keeps_nothing_else
from migrate.facts.scopes import build_scopes
from migrate.findings import Finding
from migrate.gates.same_trace import has_same_trace
from migrate.migration import Migration
from migrate.rewriting import gates
from migrate.source.nodes import parse_source

# What is said of a session that the program opens.
_OPENED = (f"{MODULE}.Session", "the session's services")
_REASON = "dropped: the program calls its steps, which are functions"


def call_directly(
    original: str, done: Migration, filename: str, alone: bool = True
) -> Migration:
    """The migration with its steps called directly; as it was where that cannot be.

    Args:
      original: the text that was migrated.
      done: its migration, with a session.
      filename: of the text, for messages.
      alone: whether the process makes no other graphs.
    """
    if f"{MODULE}.LocalReplicas(" not in done.text:
        return done
    scopes = build_scopes(parse_source(done.text))
    program = read(scopes)
    if program is None or not takes_as_fed(program) or not keeps_nothing_else(program):
        return done
    program.alone = alone
    program.traced_in_place = not is_same_later(program)
    text = write_calls(done.text, program)
    if text is None or not has_same_trace(done.text, text):
        return done
    if gates.check(text, filename, original, set()):
        return done
    kept = [n for n in done.support if emitted.find_module(n) not in (MODULE, BASE)]
    return Migration(text, [_reword_finding(f) for f in done.findings], tuple(kept))


def _reword_finding(finding: Finding) -> Finding:
    """A finding of the result that has no session."""
    if finding.code == "S115" and finding.reason.startswith(_OPENED):
        return dataclasses.replace(finding, reason=_REASON)
    writer = finding.reason.replace(f"{BASE}.SummaryWriter", WRITER)
    return dataclasses.replace(finding, reason=writer)
