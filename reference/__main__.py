"""`python -m reference`: the oracle's environment, its scenarios and recordings."""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator

import click

from reference import environment, numerics, oracle, plot, quiet, tf_config
from reference.compare import first_divergence, table
from reference.registry import SCENARIOS
from reference.runner import Trace
from reference.scenario import DTYPES, Alternative, Run, Scenario

_NAMES = click.argument("names", metavar="[SCENARIO]...", nargs=-1)
ORACLES = ("recorded", "live", "compat")


def _scenario(name: str) -> Scenario:
    if name not in SCENARIOS:
        raise click.UsageError(
            f"no scenario {name!r}; there are {', '.join(sorted(SCENARIOS))}"
        )
    return SCENARIOS[name]


def _chosen(names: tuple[str, ...]) -> list[Scenario]:
    return [_scenario(name) for name in names or sorted(SCENARIOS)]


def _python() -> str:
    try:
        return str(environment.make())
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error


@click.group()
def main() -> None:
    """TF1 programs, their migrations, and genuine TensorFlow 1.15.5 as the measure."""


@main.command()
def env() -> None:
    """Finds, or makes, a Python 3.7 with TensorFlow 1.15.5 and prints its path."""
    click.echo(_python())


@main.command(name="list")
@_NAMES
def list_(names: tuple[str, ...]) -> None:
    """The scenarios; of those that are named, the runs too."""
    if not names:
        width = max(map(len, SCENARIOS))
        for scenario in _chosen(()):
            count = len(scenario.runs)
            click.echo(
                f"{scenario.name:{width}}  {scenario.title}: {count} "
                f"run{'s' * (count != 1)}, {scenario.steps} steps, {scenario.topology}"
            )
        return
    for scenario in _chosen(names):
        click.echo(
            f"{scenario.name}: {scenario.title}; {scenario.steps} steps; {scenario.topology}"
        )
        if scenario.refused:
            click.echo(f"  refused ({scenario.refused}): {scenario.refusal}")
        for run in scenario.runs:
            extra = f", {run.topology}" if run.topology else ""
            click.echo(
                f"  {run.name} ({run.dtype}{extra}): within {run.tolerance:g} ({run.reason})"
            )
        for alternative in scenario.alternatives:
            click.echo(f"  {alternative.name}: {alternative.reason}")


@main.command()
@_NAMES
@click.option("--jobs", default=1, show_default=True, help="Runs at a time.")
@click.option("--stale", is_flag=True, help="Only what is not recorded or is old.")
def record(names: tuple[str, ...], jobs: int, stale: bool) -> None:
    """Runs scenarios under TensorFlow 1.15.5 and replaces their recordings."""
    python = _python()
    for scenario in _chosen(names):
        runs = [r for r in scenario.runs if not stale or _is_stale(scenario, r)]
        if not runs:
            continue
        oracle.record(scenario, python, runs, jobs)
        size = sum(p.stat().st_size for p in scenario.recorded.iterdir())
        click.echo(f"{scenario.name}: {len(runs)} recorded, {size / 1000:.0f} kB")


def _is_stale(scenario: Scenario, run: Run) -> bool:
    try:
        oracle.check_fresh(scenario, run)
    except oracle.Stale:
        return True
    return False


@main.command()
@click.argument("name", metavar="SCENARIO")
@click.option("--run", "only", multiple=True, metavar="RUN", help="Only this run.")
@click.option(
    "--oracle",
    "voice",
    type=click.Choice(ORACLES),
    default="recorded",
    show_default=True,
    help="What to compare with.",
)
@click.option("--dtype", type=click.Choice(DTYPES), help="Only runs of this dtype.")
@click.option("--steps", type=click.IntRange(1), help="Train so many steps.")
@click.option("--program", metavar="NAME", help="An alternative program, not tf2.py.")
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Draw both losses and their difference (needs matplotlib).",
)
@click.option(
    "--cluster",
    metavar="TF_CONFIG",
    help="Run this task's part, on the cluster that the environment variable (or file, "
    "or JSON) describes; start the same command in every task.",
)
def run(
    name: str,
    only: tuple[str, ...],
    voice: str,
    dtype: str | None,
    steps: int | None,
    program: str | None,
    picture: pathlib.Path | None,
    cluster: str | None,
) -> None:
    """Runs a migration on this TensorFlow and compares it with TensorFlow 1.15.5.

    The exit code is 1 where a difference is larger than the scenario allows.
    """
    scenario = _scenario(name)
    alternative = _alternative(scenario, program)
    chosen = [
        r
        for r in scenario.runs
        if (not only or r.name in only)
        and (dtype is None or r.dtype == dtype)
        and (alternative is None or r.name in alternative.runs)
    ]
    if not chosen:
        raise click.UsageError(
            f"{name} has no such run; `python -m reference list {name}` shows them"
        )
    if voice == "recorded" and steps is not None and steps > scenario.steps:
        raise click.UsageError(
            f"{scenario.steps} steps are recorded; use --oracle live"
        )
    if cluster is not None and (voice != "recorded" or alternative is not None):
        raise click.UsageError("--cluster runs tf2.py and compares with recordings")
    failed = False
    curves: dict[str, tuple[Trace, Trace]] = {}
    try:
        if picture is not None:
            plot.check_available()
        if scenario.checkpoint:
            quiet.import_tensorflow()
        if cluster is None:
            for one in chosen:
                curves[one.name] = _traces(scenario, one, voice, steps, alternative)
                click.echo(f"{name} {one.name} against {_said(voice)}")
                failed |= not report(scenario, one, *curves[one.name], voice)
        else:
            # One: the tasks would not begin the next together.
            one = chosen[0]
            task = tf_config.read(cluster)
            traces = _traces_of_task(scenario, one, task, steps)
            if traces is not None:
                curves[one.name] = traces
                click.echo(f"{name} {one.name}, {task}, against {_said(voice)}")
                failed = not report(scenario, one, *traces, voice)
        if picture is not None and curves:
            plot.losses(curves, picture, f"{name} against {_said(voice)}")
            click.echo(f"wrote {picture}")
    except (oracle.Stale, RuntimeError, tf_config.WrongCluster) as error:
        raise click.ClickException(str(error)) from error
    sys.exit(1 if failed else 0)


def _traces_of_task(
    scenario: Scenario, one: Run, task: tf_config.Task, steps: int | None
) -> tuple[Trace, Trace] | None:
    """Returns a task's expected and traced values; None if it only serves."""
    recording = oracle.recorded(scenario, one)
    with _directory() as work:
        found = tf_config.train(
            scenario,
            one,
            task,
            work / "task",
            initial=recording.initial,
            saved=oracle.saved(scenario, one),
            steps=steps,
        )
    if not found:
        click.echo(f"{scenario.name} {one.name}: {task} has served; others compare")
        return None
    # What the others trace they compare themselves.
    own = {key.partition("/")[0] for key in found}
    expected = {k: v for k, v in recording.trace.items() if k.partition("/")[0] in own}
    if task.is_chief and expected.keys() != recording.trace.keys():
        others = ", ".join(sorted(recording.trace.keys() - expected.keys()))
        click.echo(f"compared by the tasks that traced it: {others}")
    return _aligned(scenario, expected, found, steps)


def _said(voice: str) -> str:
    return {
        "recorded": "recorded TensorFlow 1.15.5",
        "live": "live TensorFlow 1.15.5",
        "compat": "tf.compat.v1 of this TensorFlow",
    }[voice]


def _alternative(scenario: Scenario, name: str | None) -> Alternative | None:
    if name is None:
        return None
    for alternative in scenario.alternatives:
        if alternative.name == name:
            return alternative
    raise click.UsageError(f"{scenario.name} has no program {name!r}")


def _traces(
    scenario: Scenario,
    one: Run,
    voice: str,
    steps: int | None,
    alternative: Alternative | None,
) -> tuple[Trace, Trace]:
    """Returns the expected and the migration's trace, with the same samples."""
    initial = oracle.initial(scenario, one)
    with _directory() as work:
        if voice == "live":
            expected = oracle.live(scenario, one, _python(), work, initial, steps)
        elif voice == "compat":
            expected = oracle.compat(scenario, one, work, initial, steps)
        else:
            expected = oracle.recorded(scenario, one).trace
    with _directory() as work:
        found = oracle.migrated(
            scenario, one, work, initial, alternative=alternative, steps=steps
        )
    if voice == "recorded":
        return _aligned(scenario, expected, found, steps)
    expected = oracle.sampled(expected)
    return expected, oracle.sampled(found, expected)


def _aligned(
    scenario: Scenario, expected: Trace, found: Trace, steps: int | None
) -> tuple[Trace, Trace]:
    """A recording and a trace of perhaps fewer steps, sampled alike."""
    found = oracle.sampled(found, expected)
    if steps is not None and steps != scenario.steps:
        found = oracle.steps_only(found)
        expected = oracle.steps_only(expected, like=found)
    return expected, found


class _directory(tempfile.TemporaryDirectory[str]):
    def __enter__(self) -> pathlib.Path:  # type: ignore[override]
        return pathlib.Path(super().__enter__())


def report(
    scenario: Scenario, one: Run, expected: Trace, found: Trace, voice: str
) -> bool:
    """Prints how far two traces are apart; whether that is within what is allowed."""
    least = 0.0
    if voice == "recorded" and not oracle.recorded_here(scenario, one):
        least = oracle.ELSEWHERE[one.dtype]
        click.echo(f"  recorded on another processor: {least:g} is allowed at least")

    def allowed(key: str) -> float:
        return max(least, one.tolerance_of(key))

    divergence = first_divergence(expected, found, allowed)
    if divergence is not None:
        click.echo(f"  DIFFERS: {divergence}")
    comparable = expected.keys() == found.keys() and all(
        expected[k].shape == found[k].shape and expected[k].dtype == found[k].dtype
        for k in expected
    )
    if comparable:
        for line in _lines(expected, found, allowed):
            click.echo(f"  {line}")
    return divergence is None


def _lines(expected: Trace, found: Trace, allowed: object) -> Iterator[str]:
    """The table: a row per variable, the largest difference up to some steps."""
    rows = table(expected, found, allowed)  # type: ignore[arg-type]
    longest = max(row.steps for row in rows)
    marks = sorted({1, 10, 100, longest} & set(range(1, longest + 1)))
    width = max(len(row.name) for row in rows)
    head = "".join(f"{f'to step {m}':>13}" for m in marks)
    yield f"{'array':{width}}{head}{'ULPs':>8}{'first':>7}{'allowed':>9}"
    upto = [
        {r.name: r for r in table(_cut(expected, m), _cut(found, m))} for m in marks
    ]
    for row in rows:
        cells = "".join(
            f"{at[row.name].difference:13.3g}" if m <= row.steps else f"{'-':>13}"
            for at, m in zip(upto, marks, strict=True)
        )
        if row.steps == 1:  # A final value has one.
            cells = " " * 13 * (len(marks) - 1) + f"{row.difference:13.3g}"
        ulps = "-" if row.ulps is None else str(row.ulps)
        first = "-" if row.first is None or row.steps == 1 else str(row.first)
        mark = "" if row.within else "  <--"
        yield f"{row.name:{width}}{cells}{ulps:>8}{first:>7}{row.allowed:>9.2g}{mark}"


def _cut(trace: Trace, steps: int) -> Trace:
    return {name: values[:steps] for name, values in trace.items()}


@main.command(name="numerics")
@_NAMES
@click.option("--measure/--no-measure", default=True, help="Run the scenarios first.")
@click.option("--stale", is_flag=True, help="Measure only what is not, or is old.")
def numerics_(names: tuple[str, ...], measure: bool, stale: bool) -> None:
    """Measures every run against its recording and writes docs/numerics.md and docs/numerics/."""
    if measure:
        for scenario in _chosen(names):
            numerics.measure(scenario, only_stale=stale, say=click.echo)
    numerics.write_pages(list(SCENARIOS.values()))
    click.echo(f"wrote {numerics.PAGE}")


@main.command()
@click.argument("words", metavar="[PART OF A NAME]...", nargs=-1)
@click.option("--measure/--no-measure", default=True, help="Run the programs first.")
@click.option("--missing", is_flag=True, help="Only those that are not measured.")
@click.option(
    "--mirrors",
    type=click.Path(exists=True, file_okay=False, path_type=pathlib.Path),
    help="Bare repositories called owner+name, in place of GitHub.",
)
def proved(
    words: tuple[str, ...], measure: bool, missing: bool, mirrors: pathlib.Path | None
) -> None:
    """Verifies the public programs of the list and writes docs/proved.md."""
    from reference.proved import measuring, page, programs

    listed = programs.read_list()
    known = measuring.read_measured()
    chosen = [
        p
        for p in listed
        if (not words or any(word in p.name for word in words))
        and not (missing and p.name in known)
    ]
    if measure:
        measuring.measure(chosen, mirrors, click.echo)
    page.PAGE.write_text(page.page(listed, measuring.read_measured()))
    click.echo(f"wrote {page.PAGE}")


if __name__ == "__main__":
    # Its messages at import are not what was asked for; the tasks' logs have them.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main(prog_name="python -m reference")
