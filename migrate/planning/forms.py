"""Makes the forms of a program: as it stands, and in normal form, each with a plan."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.planning.changes import Changes
from migrate.planning.choice import has_refusal, plan_of
from migrate.program import ir
from migrate.source.nodes import parse_source
from migrate.unit import Unit

if TYPE_CHECKING:
    from migrate.normalise import Text, towers
    from migrate.planning.brought import Brought

# What is told of a graph that stands elsewhere than its session: of a form in which it is
# brought there, what is told then says more.
_ELSEWHERE = frozenset({"N104", "S101", "S107", "S109"})
# What is told of tensors whose statements are not read.
_OF_TENSORS = frozenset({"S109", "S112"})
_ELSEWHERE_REASONS = frozenset({ir.SERVER_ELSEWHERE, ir.SERVER_LATE, ir.NOTHING_RUNS})
# How a program that can be migrated opens its session.
_OPENS = ("Session", "Supervisor")


_NOTHING = Changes()


@dataclasses.dataclass(frozen=True)
class Form:
    """A program rewritten as TF1 code that means the same, and its plan.

    Attributes:
      text: the program.
      changes: what became of it where it stands.
      brought: calls replaced by what they call, as (title, original line).
      noted: what is told of this form.
      towers: the loop over towers that is one tower now.
    """

    text: Text
    tree: ast.Module
    plan: Plan
    findings: list[Finding]
    changes: Changes = _NOTHING
    brought: tuple[tuple[str, int], ...] = ()
    noted: tuple[Finding, ...] = ()
    towers: towers.Towers | None = None


def find_normal_form(text: str, unit: Unit, findings: Iterable[Finding]) -> Form | None:
    """Finds the form of a program that can be migrated; None for the program itself.

    If no form can be migrated, it is the form about which most can be reported.

    Feeds are written out in any program. The code that builds the graph is brought to
    one place only in a program that is refused as it stands.
    """
    stood = list(findings)
    refused = has_refusal(stood)
    opens = _opens_session(text)
    # An Estimator's input_fn opens no session.
    if not (opens or unit.in_graph or "estimator" in text):
        return None
    # Slow to import, and of no use to most files.
    from migrate.dispatch.branches import split_chosen_runs
    from migrate.frontends.sessions import known_dicts, variables_at_once
    from migrate.normalise import towers
    from migrate.normalise.calls import arguments
    from migrate.normalise.names import named_parts, statements, versions
    from migrate.planning import brought, in_place

    known = in_place.find_known_form(text, unit, opens, refused)
    if known is None:
        return None
    start, changed, changes = known
    changed = changed or towers.convert_to_replicas(start) is not None
    if not (changed or refused):
        return None
    own = (
        changed
        or any(f.code in ("S111", "S122") for f in stood)
        or variables_at_once.run_variables_at_once(start) != start
        or versions.name_tensors_apart(arguments.name_arguments(start)) != start
    )
    first: Form | None = None
    nearer: Form | None = None
    fewest = _count_elsewhere(stood)
    # Forms in which it is not known what a run fetches.
    unknown: list[Brought] = [] if own else [(start, (), ())]
    for form in brought.list_forms(start, own):
        attempt = _attempt(form, changes, unit)
        if not has_refusal(attempt.findings):
            return attempt
        codes = {f.code for f in attempt.findings}
        text_apart = form[0]
        if "S122" in codes:
            text_apart = statements.assign_initial_values(text_apart)
        if codes & {"S111", "S122", "N107"}:
            # A run may need another part alone of a tuple, or the update in it.
            text_apart = named_parts.separate_tensors(text_apart)
        if text_apart != form[0]:
            fewer = _attempt((text_apart, *form[1:]), changes, unit)
            if not has_refusal(fewer.findings):
                return fewer
        entries = known_dicts.write_out_dicts(form[0])
        if entries != form[0]:
            known_keys = _attempt((entries, *form[1:]), changes, unit)
            if not has_refusal(known_keys.findings):
                return known_keys
        if any(f.code == "S109" for f in attempt.findings):
            apart = named_parts.separate_tensors(form[0])
            in_turn = variables_at_once.run_variables_at_once(apart)
            if in_turn != apart:
                each = _attempt((in_turn, *form[1:]), changes, unit)
                if not has_refusal(each.findings):
                    return each
            unknown.append(form)
        first = first or attempt
        left = _count_elsewhere(attempt.findings)
        if left < fewest:
            nearer, fewest = attempt, left
        elif nearer is None and _hides(stood) and not _hides(attempt.findings):
            # More is told of this form than of the program as it stands.
            nearer, fewest = _leave_consequences(attempt), left
    if any(f.code == "S109" for f in (*stood, *(first.findings if first else ()))):
        for form in unknown:
            split = split_chosen_runs(form[0])
            if split == form[0]:
                continue
            attempt = _attempt((split, *form[1:]), changes, unit)
            if not has_refusal(attempt.findings):
                return attempt
    told = [*stood, *(first.findings if first else ())]
    if any(f.code in ("N107", "S111") for f in told):
        # A run needs one tensor of those that a function gives.
        for form in brought.list_forms_of_parts(start):
            apart = named_parts.separate_tensors(form[0])
            for one in (form[0],) if apart == form[0] else (form[0], apart):
                attempt = _attempt((one, *form[1:]), changes, unit)
                if not has_refusal(attempt.findings):
                    return attempt
    if nearer is not None:
        return nearer
    # As it stands a program whose feeds had to be written out would compute them anew
    # at every use: it is then refused.
    return first if changed or not refused else None


def _opens_session(text: str) -> bool:
    if "learning.train(" in text:  # slim's loop.
        return True
    runs = ".run(" in text or ".eval(" in text
    return runs and any(name in text for name in _OPENS)


def _attempt(form: Brought, changes: Changes, unit: Unit) -> Form:
    """Makes a form with its plan; a loop over towers becomes replicas."""
    from migrate.normalise import towers
    from migrate.normalise.names.tensor_names import replace_tensor_names

    text, titles, noted = form
    # Tensors that a builder named for the graph are beside the session now.
    text = replace_tensor_names(text)
    replicated = towers.convert_to_replicas(text)
    text = replicated.text if replicated is not None else text
    tree = parse_source(text.source)
    plan, noticed = plan_of(
        build_scopes(tree),
        unit,
        replicated.make_replicas() if replicated is not None else None,
        bool(changes.done),
    )
    return Form(text, tree, plan, noticed, changes, titles, noted, replicated)


def _hides(findings: Iterable[Finding]) -> bool:
    """Whether a session that is opened elsewhere hides what else is refused."""
    return any(f.code == "S101" and f.outcome is Outcome.REFUSED for f in findings)


def _leave_consequences(form: Form) -> Form:
    """A form without what is told of tensors, if something else is refused in it.

    Where a part of the program is not read, the tensors that it makes are unknown.
    """
    refused = {f.code for f in form.findings if f.outcome is Outcome.REFUSED}
    if not refused - _OF_TENSORS - {"N100"}:
        return form
    left = [f for f in form.findings if f.code not in _OF_TENSORS]
    return dataclasses.replace(form, findings=left)


def _count_elsewhere(findings: Iterable[Finding]) -> int:
    """Counts the lines at which a refusal says that graph and session are apart."""
    return len(
        {
            f.line
            for f in findings
            if (
                f.code in _ELSEWHERE
                or f.reason in _ELSEWHERE_REASONS
                or f.reason.startswith((ir.NOTHING_RUNS_BY_NAME, ir.IN_HELPER))
            )
            and f.outcome is Outcome.REFUSED
            and f.reason != ir.FED_INSIDE
        }
    )
