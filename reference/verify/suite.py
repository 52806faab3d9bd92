"""The suite's own pairs through `tf1to2 verify`: each is equal, each planted fault is not.

python -m reference.verify.suite [SCENARIO]... [--faults]
"""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

import click

from reference import checkpoints, data, environment, oracle, runner
from reference.registry import SCENARIOS
from reference.scenario import Fault, Run, Scenario, Shape
from reference.verify.runs import Limits
from reference.verify.verdict import Outcome, Verdict
from reference.verify.verification import Request, verify

_FEW = 12


@dataclasses.dataclass(frozen=True)
class Case:
    """One verification: a run of a scenario, with a fault in its migration or without."""

    scenario: Scenario
    run: Run
    fault: Fault | None = None

    def __str__(self) -> str:
        name = f"{self.scenario.name} {self.run.name}"
        return f"{name}, planted: {self.fault.name}" if self.fault else name


def cases(names: tuple[str, ...], faults: bool) -> Iterator[Case]:
    """The first run of each scenario, or all its faults."""
    for name in names or sorted(SCENARIOS):
        scenario = SCENARIOS[name]
        if faults:
            for fault in scenario.faults:
                yield Case(scenario, scenario.run(fault.run), fault)
        elif scenario.runs:
            yield Case(scenario, scenario.runs[0])


def verify_case(
    case: Case,
    work: pathlib.Path,
    python: str,
    *,
    steps: int = 60,
    seconds: float = 300.0,
) -> Verdict:
    """Verifies it as a user would, with the program's own arguments and as many tasks.

    Args:
      work: an empty directory.
      python: an interpreter that has TensorFlow 1.15.5.
    """
    scenario, run, fault = case.scenario, case.run, case.fault
    old, new = work / "old", work / "new"
    old.mkdir(parents=True)
    program = pathlib.Path(shutil.copy(scenario.program, old / "tf1.py"))
    replaced = {fault.file: (fault.old, fault.new)} if fault else {}
    migration = runner.copied(scenario.migration, new, replaced)
    # A program that goes on needs all its steps: fewer may be behind it already.
    few = fault.steps if fault and not scenario.resumed else None
    trained = few or scenario.steps
    arguments = [
        f"--dtype={run.dtype}",
        f"--train_steps={trained}",
        f"--trace={work / 'trace'}",
        *run.arguments,
    ]
    if scenario.data:
        data.write_mnist(work / "mnist")
        arguments.append(f"--data_dir={work / 'mnist'}")
    if scenario.checkpoint or scenario.resumed:
        arguments.append(f"--checkpoint_dir={work / 'checkpoints'}")
    if scenario.resumed:  # Both go on from what TensorFlow 1 saved in mid-run.
        checkpoints.copy(oracle.saved(scenario, run), work / "checkpoints")
    topology = scenario.topology_of(run)
    cluster = topology.shape is not Shape.SINGLE
    (work / "runs").mkdir()
    return verify(
        Request(
            program,
            migration,
            arguments,
            work / "runs",
            Limits(steps=steps, seconds=seconds),
            python,
            ps=topology.ps if cluster else None,
            workers=topology.workers if cluster else None,
            preloaded=True,
        )
    )


@click.command()
@click.argument("names", metavar="[SCENARIO]...", nargs=-1)
@click.option("--faults", is_flag=True, help="The planted faults, which must be seen.")
@click.option("--steps", type=int, default=200, show_default=True)
def main(names: tuple[str, ...], faults: bool, steps: int) -> None:
    """Verifies the suite's pairs; exits with 1 if a verdict is not the expected one."""
    python = str(environment.make())
    wanted = Outcome.DIFFERENT if faults else Outcome.EQUAL
    wrong = 0
    for case in cases(names, faults):
        with tempfile.TemporaryDirectory(prefix="tf1to2-suite-") as made:
            verdict = _judge(case, pathlib.Path(made), python, steps)
        wrong += verdict.outcome is not wanted
        mark = " " if verdict.outcome is wanted else "!"
        click.echo(f"{mark} {case}: {verdict.line.splitlines()[0]}")
        if faults:
            click.echo(f"    {verdict.stage}")
    raise SystemExit(bool(wrong))


def _judge(case: Case, work: pathlib.Path, python: str, steps: int) -> Verdict:
    """Most faults show at once, some begin late: what some steps do not show, all may."""
    if case.fault and steps > _FEW:
        verdict = verify_case(case, work / "few", python, steps=_FEW)
        if verdict.outcome is Outcome.DIFFERENT:
            return verdict
    return verify_case(case, work / "all", python, steps=steps)


if __name__ == "__main__":
    main()
