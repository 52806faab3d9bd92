"""Half-migrated files: eager code of TensorFlow 2 in the cluster of a graph."""

from __future__ import annotations

from migrate.backends.half_migrated import BareLoopRewrite, EagerRewrite, FitRewrite
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding
from migrate.frontends import half_migrated
from migrate.frontends.half_migrated import Refused
from migrate.migration import Migration
from migrate.normalise.eager_forms import convert_to_known_form
from migrate.options import Options
from migrate.plan import Plan
from migrate.plan_writer import Source, plan_mistakes, write_plan
from migrate.planning.choice import has_refusal, leave_program_whole
from migrate.planning.forms import Form
from migrate.planning.told import place_at_origins
from migrate.program.eager import BareLoop, EagerProgram, FitProgram
from migrate.source.nodes import parse_source
from migrate.unit import Unit


def _plan_half_migrated(
    found: EagerProgram | FitProgram | BareLoop | Refused,
    scopes: Scopes,
    options: Options,
    text: str,
) -> tuple[Plan, list[Finding]]:
    """Eager code in a graph's cluster; where it is not taken it is left whole."""
    plan = Plan()
    if not isinstance(found, Refused):
        together = options.strategy in ("multi-worker-mirrored", "mirrored")
        if options.strategy == "auto":
            together = not found.servers
        rewrite: FitRewrite | EagerRewrite | BareLoopRewrite
        if isinstance(found, FitProgram):
            rewrite = FitRewrite(found, scopes, plan, together)
        elif isinstance(found, BareLoop):
            rewrite = BareLoopRewrite(found, scopes, plan, together)
        else:
            rewrite = EagerRewrite(found, scopes, plan, together)
        try:
            rewrite.run()
            own = rewrite.findings
        except Refused as refused:
            found, plan = refused, Plan()
    if isinstance(found, Refused):
        own = [found.make_finding(), *leave_program_whole(scopes)]
    # These are what has been done, where something was done.
    done = {"D113"} | ({"D144"} if isinstance(found, BareLoop) else set())
    told = [
        f for f in plan_mistakes(scopes, plan, text) if plan.empty or f.code not in done
    ]
    return plan, [*own, *told]


def migrate_half_migrated(
    source: Source, scopes: Scopes, unit: Unit
) -> Migration | None:
    """A half-migrated file's migration; where its step is spelled otherwise, in that form."""
    text = source.text
    half = half_migrated.recognise(scopes)
    plan = Plan()
    findings: list[Finding] = []
    if half is not None:
        plan, findings = _plan_half_migrated(half, scopes, unit.options, text)
    form = None
    if half is None or has_refusal(findings):
        form = _make_eager_form(text, unit)
    if form is not None and has_refusal(form.findings):
        plan, findings = Plan(), place_at_origins(form.findings, form, text)
    elif form is not None:
        source, plan, findings = source.take_form(form), form.plan, form.findings
    if half is None and form is None:
        return None
    return write_plan(source, plan, findings, unit)


def _make_eager_form(text: str, unit: Unit) -> Form | None:
    """Half-migrated code whose step is spelled otherwise, with a tape's step."""
    known = convert_to_known_form(text) if "ClusterSpec" in text else None
    if known is None:
        return None
    tree = parse_source(known.source)
    scopes = build_scopes(tree)
    half = half_migrated.recognise(scopes)
    if half is None:
        return None
    plan, findings = _plan_half_migrated(half, scopes, unit.options, known.source)
    return Form(known, tree, plan, findings)
