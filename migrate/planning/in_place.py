"""Brings a program into the known forms, with each change in its own place."""

from __future__ import annotations

from collections.abc import Callable

from migrate.findings import Finding
from migrate.frontends.sessions import penalties, traced_runs, variable_reuse
from migrate.normalise import (
    Text,
    queues,
    server_queues,
    streaming_metrics,
    train_ops,
    write_out_feeds,
)
from migrate.normalise.calls import early_ends, early_returns
from migrate.normalise.feeds import constants as fed_constants
from migrate.normalise.feeds import datasets as fed_datasets
from migrate.normalise.feeds import inner_placeholders
from migrate.normalise.graph_collections import losses, own_collections
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
    graph_names,
    name_scopes,
    named_parts,
    scope_names,
    semicolons,
    statements,
    tensor_names,
    tuples,
    versions,
)
from migrate.normalise.sessions import (
    chiefs,
    default_session,
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
    tuples.split_placeholders,
    keras_phases.drop_keras_sessions,
    inner_placeholders.name_placeholders,
    streaming_metrics.split_metric_calls,
    scope_names.write_out_names,
    train_ops.write_out_train_ops,
    losses.add_up_losses,
    kept_sessions.name_sessions_once,
    sessions.convert_plain_sessions,
    tensor_names.replace_tensor_names,
    keras_tensors.call_models,
    keras_phases.write_phases,
    statements.run_by_session,
    elements.take_after_branches,
    displays.write_out_lists,
    statements.name_updates,
    versions.rename_later_bindings,
    early_returns.move_returns_to_end,
    early_ends.move_graph_into_branch,
    driver.shape_driver,
    variable_reuse.write_reuse,
    module_graph.gather_graph,
    graph_first.move_graph,
    fetched_calls.name_fetched_calls,
    late_values.split_runs,
    own_collections.list_collections,
    displays.join_additions,
    write_out_feeds,
    fed_constants.write_defaults,
    fed_datasets.convert_to_functions,
    displays.name_parts,
    named_parts.split_statements,
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
    whole = close_headers(Text.read_source(text))
    start = semicolons.split_lines(whole) if refused else whole
    start = scope_names.write_out_templates(start)
    start = scope_names.write_out_decorators(start)
    start, stopped = existing_servers.stop_existing_servers(start)
    start, local = local_servers.drop_local_servers(start)
    start, packaged = keras_package.import_keras_of_tensorflow(start)
    start, early_chiefs = chiefs.mend_chief_tests(start)
    start = chiefs.make_in_every_task(start)
    ended = server_queues.replace_queues(start)
    start, read = queues.replace_queues(ended.text)
    if not (opens or read):
        return None
    start, traced = traced_runs.write_profiles(start)
    start = penalties.write_out_penalties(start)
    start = outer_blocks.split_mixed_blocks(start)
    start, split = placement.insert_setter(slim_loops.write_out_loop(start))
    start, managed = session_managers.write_out_managers(start)
    start, supervised = _replace_supervisors(start, {f.line for f in managed})
    if not split:  # A Supervisor's session is on the task's server, too.
        start, split = placement.insert_setter(start)
    # A SingularMonitoredSession takes itself for the chief, in every worker.
    start, late_chiefs = chiefs.mend_chief_tests(
        sessions.convert_to_monitored(kept_sessions.enter_sessions(start))
    )
    start, outer = outer_blocks.open_outer_blocks(start)
    scoped: tuple[Finding, ...] = ()
    if "Estimator(" not in text:
        start, taken_ = graph_names.number_names(start)
        start, scoped = name_scopes.move_out_of_scopes(start)
        scoped = (*taken_, *scoped)
    start = default_session.inline_givers(start, unit.named_elsewhere)
    unread: tuple[Finding, ...] = ()
    if refused and not unit.graph_calls:
        start, unread = losses.drop_unread_penalties(start)
    for step in _STEPS:
        # Functions of other files may collect penalties that are not in sight.
        if not (step is losses.add_up_losses and unit.graph_calls):
            start = step(start)
    noted = (
        *stopped,
        *traced,
        *local,
        *packaged,
        *managed,
        *read,
        *outer,
        *scoped,
        *unread,
    )
    chiefs_ = (*early_chiefs, *late_chiefs)
    changes = Changes(supervised, chiefs_, split, ended.lines, noted)
    return start, start.source != whole.source or bool(scoped), changes


def _replace_supervisors(start: Text, told: set[int]) -> tuple[Text, tuple[int, ...]]:
    """With sessions in place of Supervisors, and these' lines but those already told."""
    lines = tuple(n for n in supervisor.find_lines(start) if n not in told)
    replaced = supervisor.replace_supervisor(start)
    return replaced, lines if replaced.source != start.source else ()
