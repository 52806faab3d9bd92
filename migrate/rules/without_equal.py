"""Symbols that are refused in every program, however it is written.

A program that is refused for its form keeps its other uses (N100): the tool can say little of
them before it has read the program. Of these it can. Otherwise a user would mend the form
first, and only then learn that the optimizer has no equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import LOADED_GRAPH, Finding, Outcome, make_refusal
from migrate.rules import calls
from migrate.rules.symbols import find_verdict
from migrate.tables import contrib
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.roles import has_prefix

# `opt = tf.contrib.opt`: of these modules some names have an equal.
_ANSWERED = frozenset({"tf.contrib.opt", "tf.contrib.seq2seq", *calls.ROWS})
# Reads of a graph, fetches, and tensors outside of runs.
_OF_UNREAD_GRAPHS = frozenset({"S109", "S112", "S185"})


def refuse_without_equal(scopes: Scopes) -> Iterator[Finding]:
    """The refusals of a file's symbols that no form of its program could keep."""
    for node, symbol in scopes.walk_uses():
        if not has_prefix(symbol, contrib.WITHOUT_EQUAL) or symbol in _ANSWERED:
            continue
        optimizer = OPTIMIZERS.get(symbol)
        if optimizer is None:
            verdict = find_verdict(symbol)
            if verdict.outcome is Outcome.REFUSED:
                told = verdict.reason, verdict.recipe
                yield make_refusal(node, verdict.code, symbol, *told)
        elif not optimizer.target:
            told = optimizer.reason, optimizer.recipe
            yield make_refusal(node, optimizer.code, symbol, *told)


def drop_consequences(
    findings: Collection[Finding], causes: Collection[Finding]
) -> list[Finding]:
    """The findings of a program without those that only follow from others.

    Args:
      findings: of the program.
      causes: of the symbols in it that have no equal. What else is wrong with their lines
        follows from them.
    """
    lines = {cause.line for cause in causes}
    loaded = any(LOADED_GRAPH in f.reason for f in findings)
    return [
        f
        for f in findings
        if f.outcome is not Outcome.REFUSED
        or not (f.line in lines or (loaded and _is_of_unread_graph(f)))
    ]


def _is_of_unread_graph(finding: Finding) -> bool:
    """Whether a refusal may be there only since a graph is loaded, and so is not read."""
    return finding.code in _OF_UNREAD_GRAPHS and LOADED_GRAPH not in finding.reason
