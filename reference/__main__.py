"""`python -m reference`: the oracle's environment, its scenarios and recordings."""

from __future__ import annotations

import pathlib
import sys
import tempfile

import click

from reference import environment, oracle
from reference.compare import first_divergence, worst
from reference.registry import SCENARIOS
from reference.scenario import Scenario

_NAMES = click.argument("names", nargs=-1, type=click.Choice(sorted(SCENARIOS)))


def _chosen(names: tuple[str, ...]) -> list[Scenario]:
    return [SCENARIOS[name] for name in names or sorted(SCENARIOS)]


@click.group()
def main() -> None:
    """TF1 programs, their migrations, and genuine TensorFlow 1.15.5 as the measure."""


@main.command()
def env() -> None:
    """Finds, or makes, a Python 3.7 with TensorFlow 1.15.5 and prints its path."""
    try:
        click.echo(environment.make())
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error


@main.command(name="list")
def list_() -> None:
    """The scenarios and what is recorded of each."""
    for scenario in _chosen(()):
        click.echo(f"{scenario.name}: {scenario.steps} steps, {scenario.workers} worker(s)")
        for run in scenario.runs:
            click.echo(f"  {run.name}: within {run.tolerance:g} ({run.reason})")


@main.command()
@_NAMES
def record(names: tuple[str, ...]) -> None:
    """Runs scenarios under TensorFlow 1.15.5 and replaces their recordings."""
    try:
        python = str(environment.make())
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    for scenario in _chosen(names):
        oracle.record(scenario, python)
        size = sum(p.stat().st_size for p in scenario.recorded.iterdir())
        click.echo(f"{scenario.name}: recorded, {size / 1000:.0f} kB")


@main.command()
@_NAMES
def run(names: tuple[str, ...]) -> None:
    """Runs migrations on this interpreter's TensorFlow against the recordings."""
    failed = False
    for scenario in _chosen(names):
        for one in scenario.runs:
            try:
                recording = oracle.recorded(scenario, one)
            except oracle.Stale as error:
                raise click.ClickException(str(error)) from error
            with tempfile.TemporaryDirectory() as work:
                found = oracle.migrated(
                    scenario, one, pathlib.Path(work), recording.initial
                )
            allowed = oracle.tolerance(scenario, one)
            divergence = first_divergence(recording.trace, found, allowed)
            failed |= divergence is not None
            verdict = divergence or f"equal within {worst(recording.trace, found):.2g}"
            click.echo(f"{scenario.name} {one.name}: {verdict}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(prog_name="python -m reference")
