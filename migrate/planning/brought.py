"""Makes forms of a program in which the code that builds its graph stands in one place.

Each form is TF1 code with the same meaning. The forms with the fewest changes come first.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator

from migrate.findings import Finding, move_finding
from migrate.frontends.sessions import listed_objects, variable_reuse
from migrate.frontends.towers import objects
from migrate.normalise import Text, make_normal_forms, queues, write_out_feeds
from migrate.normalise.calls import arguments, branches, early_ends, early_returns
from migrate.normalise.classes import (
    chained_calls,
    inheritance,
    lazy_properties,
    plain_properties,
)
from migrate.normalise.feeds import constants as fed_constants
from migrate.normalise.feeds import datasets as fed_datasets
from migrate.normalise.graph_collections import own_collections
from migrate.normalise.graph_places import (
    fetched_calls,
    graph_first,
    late_values,
    module_graph,
)
from migrate.normalise.keras import phases as keras_phases
from migrate.normalise.keras import tensors as keras_tensors
from migrate.normalise.names import (
    displays,
    elements,
    named_parts,
    scope_names,
    statements,
    tuples,
    versions,
)
from migrate.normalise.sessions import (
    driver,
    joined_blocks,
    kept_sessions,
    outer_blocks,
    sessions,
)
from migrate.normalise.towers import loops

# A form, the moved code as (title, original line), and the findings about it.
Brought = tuple[Text, tuple[tuple[str, int], ...], tuple[Finding, ...]]


def list_forms(start: Text, own: bool) -> Iterator[Brought]:
    """The forms of a program.

    Args:
      start: the program before any code is moved.
      own: whether `start` is a form too.
    """
    in_place = [(start, (), ())] if own else []
    return _number_tensors(
        itertools.chain(in_place, _gather_graph(start), _take_apart(start))
    )


def list_forms_of_parts(start: Text) -> Iterator[Brought]:
    """The forms in which functions that give several tensors are brought, too."""
    return _number_tensors(_gather_graph(start, parts=True))


def _number_tensors(forms: Iterable[Brought]) -> Iterator[Brought]:
    """Yields each form, and then the form with one name for each tensor, if that differs."""

    for text, brought, more in forms:
        yield text, brought, more
        apart = versions.name_tensors_apart(text)
        if apart != text:
            yield apart, brought, more
        known = versions.name_tensors_apart(arguments.name_arguments(text))
        if known != apart:
            yield known, brought, more


def _take_apart(start: Text) -> Iterator[Brought]:
    """Yields forms with joined `with` blocks of files and sessions, and with split attributes."""

    apart = tuples.split_attributes(joined_blocks.join_blocks(start))
    if apart != start:
        yield graph_first.move_graph(apart), (), ()
    if apart != start or joined_blocks.may_join(start):
        yield from _gather_graph(apart, joined_blocks.join_blocks)


def _gather_graph(
    start: Text,
    finish: Callable[[Text], Text] = lambda text: text,
    parts: bool = False,
) -> Iterator[Brought]:
    """Yields forms of the program in which its graph stands in one place.

    Each comes with the code that was moved there, and with the findings about queues.

    Args:
      finish: a last change of the text, after the code was moved.
      parts: whether functions that give several tensors are moved, too.
    """

    start = tuples.split_objects(listed_objects.name_objects(start))
    start = chained_calls.name_call_methods(chained_calls.name_objects(start))
    start = chained_calls.write_out_blocks(inheritance.flatten_classes(start))
    if (
        "Server(" in start.source
    ):  # A server may not share an assignment with other values.
        start = tuples.split_attributes(start)
    start = objects.name_objects(loops.write_loops(start))
    start = early_returns.return_lists(lazy_properties.build_properties(start))
    start = early_ends.move_rest_into_else(
        plain_properties.replace_by_attributes(start)
    )
    for form in make_normal_forms(start.source, parts):
        decided = _settle_sessions(
            branches.drop_unread_defaults(
                statements.fold_conditions(scope_names.write_out_names(form.text))
            )
        )
        opened, outer = outer_blocks.open_outer_blocks(finish(decided))
        shaped = driver.shape_driver(sessions.convert_plain_sessions(opened))
        plain = module_graph.gather_graph(variable_reuse.write_reuse(shaped))
        plain = keras_phases.write_phases(keras_tensors.call_models(plain))
        taken, noted = queues.replace_queues(
            branches.replace_decided_branches(statements.fold_conditions(plain))
        )
        taken = elements.take_after_branches(branches.drop_unread_defaults(taken))
        taken = graph_first.move_graph(taken)
        taken = late_values.split_runs(fetched_calls.name_fetched_calls(taken))
        taken = versions.rename_later_bindings(
            branches.replace_decided_branches(statements.fold_conditions(taken))
        )
        fed = fed_constants.write_defaults(
            write_out_feeds(
                displays.join_additions(own_collections.list_collections(taken))
            )
        )
        text = named_parts.split_statements(
            statements.fold_conditions(fed_datasets.convert_to_functions(fed))
        )
        origins = tuple(start.origins[line - 1] for line in text.origins)
        brought = tuple((title, start.origins[n - 1]) for title, n in form.brought)
        yield (
            dataclasses.replace(text, origins=origins),
            brought,
            tuple(move_finding(f, start.origins) for f in (*noted, *outer)),
        )


def _settle_sessions(text: Text) -> Text:
    """The text with its decided branches replaced, and with one name for each session."""
    for _ in range(text.source.count("Session(") + 1):
        new = branches.drop_unread_defaults(
            branches.replace_decided_branches(statements.choose_values(text))
        )
        new = kept_sessions.name_sessions_once(tuples.name_unpacked(new))
        new = statements.fold_conditions(new)
        if new == text:
            break
        text = new
    return text
