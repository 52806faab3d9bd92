"""A program in the forms that are known, with everything where it stands."""

from __future__ import annotations

from collections.abc import Callable

from migrate.findings import Finding
from migrate.normalise import (
    Text,
    done_queues,
    queues,
    streaming_metrics,
    train_ops,
    written_out,
)
from migrate.normalise.called import early_ends, early_returns
from migrate.normalise.collected import collections, losses
from migrate.normalise.feeds import constants as fed_constants
from migrate.normalise.feeds import datasets as fed_datasets
from migrate.normalise.feeds import inner_placeholders
from migrate.normalise.graph_places import (
    fetched_calls,
    graph_first,
    late_values,
    module_graph,
    placement,
)
from migrate.normalise.keras import package as keras_package
from migrate.normalise.keras import phases as keras_phases
from migrate.normalise.keras import tensors as keras_tensors
from migrate.normalise.names import (
    displays,
    elements,
    name_scopes,
    named_parts,
    scope_names,
    semicolons,
    statements,
    taken,
    tensor_names,
    tuples,
    versions,
)
from migrate.normalise.sessions import (
    chiefs,
    driver,
    existing_servers,
    kept_sessions,
    local_servers,
    outer_blocks,
    session_managers,
    sessions,
    slim_loops,
)
from migrate.normalise.supervisors import supervisor
from migrate.normalise.text import close_headers
from migrate.planning.changes import Changes
from migrate.unit import Unit

_Step = Callable[[Text], Text]

# In this order, which matters: a step reads what those before it have written.
_STEPS: tuple[_Step, ...] = (
    tuples.apart,
    keras_phases.without_sessions,
    inner_placeholders.named,
    streaming_metrics.apart,
    scope_names.written_out,
    train_ops.written_out,
    losses.collected,
    sessions.plain,
    tensor_names.by_program,
    keras_tensors.called,
    keras_phases.told,
    statements.run_by_session,
    elements.taken_after,
    statements.named,
    versions.renamed,
    early_returns.at_the_end,
    early_ends.in_workers_branch,
    driver.plain,
    module_graph.gathered,
    graph_first.moved,
    fetched_calls.named,
    late_values.computed,
    collections.listed,
    written_out,
    fed_constants.with_defaults,
    fed_datasets.as_functions,
    displays.named,
    named_parts.apart,
)


def find_known_form(
    text: str, unit: Unit, opens: bool, refused: bool
) -> tuple[Text, bool, Changes] | None:
    """The program in known forms, whether that is another text, and what became of it.

    None if it has neither a session nor queues.

    Args:
      opens: whether it opens a session.
      refused: whether it is refused as it stands.
    """
    whole = close_headers(Text.of(text))
    start = semicolons.apart(whole) if refused else whole
    start, stopped = existing_servers.stopped(start)
    start, local = local_servers.left_out(start)
    start, packaged = keras_package.of_tensorflow(start)
    start, early_chiefs = chiefs.mended(start)
    ended = done_queues.replaced(start)
    start, read = queues.replaced(ended.text)
    if not (opens or read):
        return None
    start, split = placement.usual(slim_loops.written_out(start))
    start, managed = session_managers.written_out(start)
    start, supervised = _replace_supervisors(start, {f.line for f in managed})
    if not split:  # A Supervisor's session is on the task's server, too.
        start, split = placement.usual(start)
    # A SingularMonitoredSession takes itself for the chief, in every worker.
    start, late_chiefs = chiefs.mended(sessions.monitored(kept_sessions.entered(start)))
    start, outer = outer_blocks.opened(start)
    scoped: tuple[Finding, ...] = ()
    if "Estimator(" not in text:
        start, taken_ = taken.numbered(start)
        start, scoped = name_scopes.beside(start)
        scoped = (*taken_, *scoped)
    unread: tuple[Finding, ...] = ()
    if refused and not unit.graph_calls:
        start, unread = losses.without_unread_penalties(start)
    for step in _STEPS:
        # Functions of other files may collect penalties that are not in sight.
        if not (step is losses.collected and unit.graph_calls):
            start = step(start)
    noted = (*stopped, *local, *packaged, *managed, *read, *outer, *scoped, *unread)
    chiefs_ = (*early_chiefs, *late_chiefs)
    changes = Changes(supervised, chiefs_, split, ended.lines, noted)
    return start, start.source != whole.source or bool(scoped), changes


def _replace_supervisors(start: Text, told: set[int]) -> tuple[Text, tuple[int, ...]]:
    """With sessions in place of Supervisors, and these' lines but those already told."""
    lines = tuple(n for n in supervisor.lines(start) if n not in told)
    replaced = supervisor.replaced(start)
    return replaced, lines if replaced.source != start.source else ()
