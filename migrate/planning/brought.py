"""The forms of a program in which what builds its graph is brought to one place.

Each is TF1 code that means the same; the least changed come first.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator

from migrate.findings import Finding
from migrate.normalise import Text, normal_forms, queues, written_out
from migrate.normalise.called import arguments, branches, early_ends
from migrate.normalise.classes import (
    chained_calls,
    inheritance,
    lazy_properties,
    plain_properties,
)
from migrate.normalise.collected import collections
from migrate.normalise.feeds import constants as fed_constants
from migrate.normalise.feeds import datasets as fed_datasets
from migrate.normalise.graph_places import (
    fetched_calls,
    graph_first,
    late_values,
    module_graph,
)
from migrate.normalise.keras import phases as keras_phases
from migrate.normalise.keras import tensors as keras_tensors
from migrate.normalise.names import (
    elements,
    named_parts,
    statements,
    tuples,
    versions,
)
from migrate.normalise.sessions import driver, joined_blocks, outer_blocks, sessions

# A form, what was brought as (title, original line), and what is told of it.
Brought = tuple[Text, tuple[tuple[str, int], ...], tuple[Finding, ...]]


def forms(start: Text, own: bool) -> Iterator[Brought]:
    """The forms of a program.

    Args:
      start: it, with everything in its place.
      own: whether that may be migrated itself, changed as it is.
    """
    in_place = [(start, (), ())] if own else []
    return _number_tensors(
        itertools.chain(in_place, _gather_graph(start), _take_apart(start))
    )


def _number_tensors(forms: Iterable[Brought]) -> Iterator[Brought]:
    """Each form, and then it with one name for each tensor, where that differs."""

    for text, brought, more in forms:
        yield text, brought, more
        apart = versions.of_tensors(text)
        if apart != text:
            yield apart, brought, more
        known = versions.of_tensors(arguments.named(text))
        if known != apart:
            yield known, brought, more


def _take_apart(start: Text) -> Iterator[Brought]:
    """Forms with blocks of files and sessions as one, and attributes one by one."""

    apart = tuples.of_attributes(joined_blocks.joined(start))
    if apart != start:
        yield graph_first.moved(apart), (), ()
    if apart != start or joined_blocks.may_join(start):
        yield from _gather_graph(apart, joined_blocks.joined)


def _gather_graph(
    start: Text, finish: Callable[[Text], Text] = lambda text: text
) -> Iterator[Brought]:
    """Forms of the program in which its graph stands in one place.

    With what was brought there, and what became of input by queues.

    Args:
      finish: what is done when all of it stands there.
    """

    start = inheritance.flattened(chained_calls.named(start))
    if "Server(" in start.source:  # A server's parts are not kept beside other values.
        start = tuples.of_attributes(start)
    start = lazy_properties.built(start)
    start = early_ends.in_else(plain_properties.as_attributes(start))
    for form in normal_forms(start.source):
        opened, outer = outer_blocks.opened(finish(form.text))
        plain = module_graph.gathered(driver.plain(sessions.plain(opened)))
        plain = keras_phases.told(keras_tensors.called(plain))
        taken, noted = queues.replaced(branches.decided(statements.folded(plain)))
        taken = graph_first.moved(elements.taken_after(taken))
        taken = late_values.computed(fetched_calls.named(taken))
        taken = versions.renamed(branches.decided(statements.folded(taken)))
        fed = fed_constants.with_defaults(written_out(collections.listed(taken)))
        text = named_parts.apart(statements.folded(fed_datasets.as_functions(fed)))
        origins = tuple(start.origins[line - 1] for line in text.origins)
        brought = tuple((title, start.origins[n - 1]) for title, n in form.brought)
        yield (
            dataclasses.replace(text, origins=origins),
            brought,
            tuple(
                dataclasses.replace(f, line=start.origins[f.line - 1])
                for f in (*noted, *outer)
            ),
        )
