"""The forms of a program: as it stands, and in normal form, with a plan for each."""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from migrate.facts.scopes import scopes_of
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.planning.choice import has_refusal, plan_of
from migrate.source.nodes import tree_of
from migrate.unit import Unit

if TYPE_CHECKING:
    from migrate.normalise import Text, towers

    # A form, what was brought, and what became of input by queues.
    _Brought = tuple[Text, tuple[tuple[str, int], ...], tuple[Finding, ...]]

# What is told of a graph that stands elsewhere than its session: of a form in which it is
# brought there, what is told then says more.
_ELSEWHERE = frozenset({"C102", "S101", "S103"})
# How a program that can be migrated opens its session.
_OPENS = ("Session", "Supervisor")


def unread_towers(text: str) -> Iterator[Finding]:
    """Why a loop over towers was not taken, in a program that was refused."""
    from migrate.normalise import towers

    found = towers.why_not(text)
    if found is not None:
        line, reason = found
        yield Finding(
            line,
            1,
            "N126",
            Outcome.REFUSED,
            "",
            f"a loop over towers: {reason}",
            "Or make one tower, a replica of tf.distribute.MirroredStrategy.",
        )


def unread_queues(text: str) -> Iterator[Finding]:
    """Why input by queues did not become datasets, in a program that was refused."""
    from migrate.normalise import Text, queues

    found = queues.why_not(Text.of(text))
    if found is not None:
        yield queues.refusal(found)


@dataclasses.dataclass(frozen=True)
class Form:
    """A program rewritten as TF1 code that means the same, and its plan.

    Attributes:
      brought: calls replaced by what they call, as (title, original line).
      supervised: original lines of Supervisors that are sessions now.
      chiefs: where the chief was told by a wrong test, as (original line, what it did).
      queues: what became of input by queues.
      towers: the loop over towers that is one tower now.
      split: original lines where the usual split was made by hand.
      done: original lines of queues that told parameter servers to end.
    """

    text: Text
    brought: tuple[tuple[str, int], ...]
    supervised: tuple[int, ...]
    chiefs: tuple[tuple[int, str], ...]
    queues: tuple[Finding, ...]
    towers: towers.Towers | None
    split: tuple[int, ...]
    done: tuple[int, ...]
    tree: ast.Module
    plan: Plan
    findings: list[Finding]


def in_normal_form(text: str, unit: Unit, findings: Iterable[Finding]) -> Form | None:
    """The program's form that can be migrated; None if that is the program itself.

    Of a program that cannot be, the form in which most of it can be told.

    Feeds are written out in any program. Only in one that is refused as it stands is
    what builds its graph brought to one place.
    """
    stood = list(findings)
    refused = has_refusal(stood)
    opens = any(name in text for name in _OPENS) and (
        ".run(" in text or ".eval(" in text
    )
    opens = opens or "learning.train(" in text  # slim's loop.
    # An Estimator's input_fn opens no session.
    if not (opens or unit.in_graph or "estimator" in text):
        return None
    from migrate.normalise import (
        Text,
        done_queues,
        queues,
        streaming_metrics,
        towers,
        train_ops,
        written_out,
    )
    from migrate.normalise.called import arguments, early_returns
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

    start = semicolons.apart(Text.of(text)) if refused else Text.of(text)
    start, stopped = existing_servers.stopped(start)
    start, local = local_servers.left_out(start)
    start, packaged = keras_package.of_tensorflow(start)
    start, chiefs_ = chiefs.mended(start)
    ended = done_queues.replaced(start)
    start = ended.text
    start, read = queues.replaced(start)
    if not (opens or read):
        return None
    start, split = placement.usual(slim_loops.written_out(start))
    start, managed = session_managers.written_out(start)
    told = {f.line for f in managed}
    supervised = tuple(n for n in supervisor.lines(start) if n not in told)
    before = start.source
    start = supervisor.replaced(start)
    if start.source == before:
        supervised = ()
    # A SingularMonitoredSession takes itself for the chief, in every worker.
    start, more_chiefs = chiefs.mended(sessions.monitored(kept_sessions.entered(start)))
    chiefs_ = (*chiefs_, *more_chiefs)
    start, outer = outer_blocks.opened(start)
    scoped: tuple[Finding, ...] = ()
    if "Estimator(" not in text:
        start, scoped = name_scopes.beside(start)
    # Functions of other files may collect penalties that are not in sight.
    in_sight = [] if unit.graph_calls else [losses.collected]
    for step in (
        tuples.apart,
        keras_phases.without_sessions,
        inner_placeholders.named,
        streaming_metrics.apart,
        scope_names.written_out,
        train_ops.written_out,
        *in_sight,
        sessions.plain,
        tensor_names.by_program,
        keras_tensors.called,
        keras_phases.told,
        statements.run_by_session,
        elements.taken_after,
        statements.named,
        versions.renamed,
        early_returns.at_the_end,
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
    ):
        start = step(start)
    changed = start.source != text or bool(scoped)
    changed = changed or towers.as_replicas(start) is not None
    if not (changed or refused):
        return None
    apart = versions.of_tensors(arguments.named(start))
    own = [(start, (), ())] if changed or apart != start else []
    first: Form | None = None
    nearer: Form | None = None
    forms = _numbered(itertools.chain(own, _together(start), _taken_apart(start)))
    for form, brought, more in forms:
        replicated = towers.as_replicas(form)
        form = replicated.text if replicated is not None else form
        tree = tree_of(form.source)
        plan, noticed = plan_of(
            scopes_of(tree),
            unit,
            replicated.replicas() if replicated is not None else None,
            bool(ended.lines),
        )
        noted = (*stopped, *local, *packaged, *managed, *read, *outer, *scoped, *more)
        attempt = Form(
            form,
            brought,
            supervised,
            chiefs_,
            noted,
            replicated,
            split,
            ended.lines,
            tree,
            plan,
            noticed,
        )
        if not has_refusal(attempt.findings):
            return attempt
        first = first or attempt
        if _is_elsewhere(stood) and not _is_elsewhere(attempt.findings):
            nearer = nearer or attempt
    if nearer is not None:
        return nearer
    # As it stands a program whose feeds had to be written out would compute them anew
    # at every use: it is then refused.
    return first if changed or not refused else None


def _is_elsewhere(findings: Iterable[Finding]) -> bool:
    """Whether what is refused is that graph and session stand apart."""
    return any(f.code in _ELSEWHERE and f.outcome is Outcome.REFUSED for f in findings)


def _numbered(forms: Iterable[_Brought]) -> Iterator[_Brought]:
    """Each form, and then it with one name for each tensor, where that differs."""
    from migrate.normalise.called import arguments
    from migrate.normalise.names import versions

    for text, brought, more in forms:
        yield text, brought, more
        apart = versions.of_tensors(text)
        if apart != text:
            yield apart, brought, more
        known = versions.of_tensors(arguments.named(text))
        if known != apart:
            yield known, brought, more


def _taken_apart(start: Text) -> Iterator[_Brought]:
    """Forms with blocks of files and sessions as one, and attributes one by one."""
    from migrate.normalise.graph_places import graph_first
    from migrate.normalise.names import tuples
    from migrate.normalise.sessions import joined_blocks

    apart = tuples.of_attributes(joined_blocks.joined(start))
    if apart != start:
        yield graph_first.moved(apart), (), ()
    if apart != start or joined_blocks.may_join(start):
        yield from _together(apart, joined_blocks.joined)


def _together(
    start: Text, finish: Callable[[Text], Text] = lambda text: text
) -> Iterator[_Brought]:
    """Forms of the program in which its graph stands in one place.

    With what was brought there, and what became of input by queues.

    Args:
      finish: what is done when all of it stands there.
    """
    from migrate.normalise import normal_forms, queues, written_out
    from migrate.normalise.called import branches, early_ends
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
    from migrate.normalise.sessions import driver, outer_blocks, sessions

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


def _replicated(form: Form, towers_: towers.Towers) -> Finding:
    """What became of the loop over towers."""
    loop = f"the loop over {towers_.count} towers"
    if "towers_of_workers.py" in form.plan.support:
        code = "N133"
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
    return Finding(towers_.line, 1, code, Outcome.REWRITTEN, "", text)


def at_origins(findings: list[Finding], form: Form) -> list[Finding]:
    """Findings at the lines of the file they came from, and what was brought where."""
    moved = [
        dataclasses.replace(f, line=form.text.origins[f.line - 1])
        for f in findings
        if f.line <= len(form.text.origins)
    ]
    if not has_refusal(form.findings):
        moved.extend(form.queues)
    if form.towers is not None:
        moved.append(_replicated(form, form.towers))
    if form.towers is not None and form.towers.updated_by:
        whose = form.towers.updated_by
        order = "all towers', one after the other, in TF1 in any order"
        moved.append(
            Finding(
                form.towers.line,
                1,
                "N193",
                Outcome.REWRITTEN,
                "",
                "batches are normalised by each tower's part; the averages are moved by "
                + (order if whose == "all" else f"the {whose} tower's"),
            )
        )
    if form.towers is not None and form.towers.draw:
        moved.append(
            Finding(
                form.towers.line,
                1,
                "N192",
                Outcome.REWRITTEN,
                "",
                "each tower drew a batch: a step has as many, the first for the first "
                "tower; in TF1 which tower had which was not defined",
            )
        )
    for line, reason in form.chiefs:
        moved.append(
            Finding(
                line,
                1,
                "D111",
                Outcome.REWRITTEN,
                "",
                f"{reason}; the worker of index 0 is the chief now",
            )
        )
    for line in form.split:
        moved.append(
            Finding(
                line,
                1,
                "C133",
                Outcome.REWRITTEN,
                "tf.device",
                "variables on parameter servers and the rest on the own worker: a "
                "ParameterServerStrategy, which deals variables to the servers in turn",
            )
        )
    for line in form.done:
        moved.append(
            Finding(
                line,
                1,
                "N170",
                Outcome.REWRITTEN,
                "tf.FIFOQueue",
                "parameter servers end when every worker has: the coordinator tells them",
            )
        )
    for line in form.supervised:
        moved.append(
            Finding(
                line,
                1,
                "S132",
                Outcome.REWRITTEN,
                "tf.train.Supervisor",
                "a MonitoredTrainingSession: it also saves when training ends, and logs "
                "the speed every 100 steps",
            )
        )
    for title, line in form.brought:
        moved.append(
            Finding(
                line,
                1,
                "S130",
                Outcome.REWRITTEN,
                title,
                f"`{title}` builds what the session runs; its body stands there now",
            )
        )
    return list(dict.fromkeys(moved))
