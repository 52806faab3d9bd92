"""The suite's own pairs through `tf1to2 verify`: each is equal, each planted fault is not.

python -m reference.verify.suite [SCENARIO]... [--faults | --notebooks]
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator
from unittest import mock

import click

from reference import checkpoints, data, environment, oracle, runner
from reference.registry import SCENARIOS
from reference.scenario import Fault, Run, Scenario, Shape
from reference.verify.records import Record
from reference.verify.runs import Limits
from reference.verify.verdict import Outcome, Verdict
from reference.verify.verification import Request, verify

_FEW = 12

# A program, and file name -> (old, new): a text replaced everywhere in that file.
Replaced = tuple[pathlib.Path, dict[str, tuple[str, str]]]


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


Originals = dict[tuple[str, str, int, int], dict[str, Record]]


def list_replaced(scenario: Scenario, fault: Fault | None) -> Replaced:
    """The migration that verify follows, and what a fault replaces, by file."""
    if fault is None:
        return scenario.directory / "tf2.py", {}
    written = fault.program
    file = written if fault.file == "tf2.py" else fault.file
    return scenario.directory / written, {file: (fault.old, fault.new)}


def verify_case(
    case: Case,
    work: pathlib.Path,
    python: str,
    *,
    steps: int = 60,
    seconds: float = 300.0,
    originals: Originals | None = None,
) -> Verdict:
    """Verifies it as a user would, with the program's own arguments and as many tasks.

    Args:
      work: a directory; empty where there are no `originals`.
      python: an interpreter that has TensorFlow 1.15.5.
      originals: the originals' runs below `work`: faults of one run share them.
    """
    scenario, run, fault = case.scenario, case.run, case.fault
    # A program that goes on needs all its steps: fewer may be behind it already.
    few = fault.steps if fault and not scenario.resumed else None
    trained = few or scenario.steps
    key = scenario.name, run.name, trained, steps
    known = {} if originals is None else originals.setdefault(key, {})
    if originals is not None:
        work = work / "-".join(map(str, key))
    old, new = work / "old", work / "new"
    if not known:
        _prepare(scenario, run, work)
    program = pathlib.Path(shutil.copy(scenario.program, old / "tf1.py"))
    shutil.rmtree(new, ignore_errors=True)
    written, replaced = list_replaced(scenario, fault)
    migration = runner.copied(written, new, replaced)
    arguments = [
        f"--dtype={run.dtype}",
        f"--train_steps={trained}",
        f"--trace={work / 'trace'}",
        *run.arguments,
    ]
    if scenario.data:
        arguments.append(f"--data_dir={work / 'mnist'}")
    if scenario.checkpoint or scenario.resumed:
        arguments.append(f"--checkpoint_dir={work / 'checkpoints'}")
    topology = scenario.topology_of(run)
    cluster = topology.shape is not Shape.SINGLE
    return verify(
        Request(
            program,
            migration,
            arguments,
            work / "runs",
            Limits(steps=steps, seconds=seconds),
            python,
            launch="auto" if cluster else "alone",
            ps=topology.ps if cluster else None,
            workers=topology.workers if cluster else None,
            preloaded=True,
            originals=known,
            bisects=originals is None,
        )
    )


def _prepare(scenario: Scenario, run: Run, work: pathlib.Path) -> None:
    """Makes the directories of a run, its data, and the checkpoint it goes on from."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "old").mkdir(parents=True)
    (work / "runs").mkdir()
    if scenario.data:
        data.write_mnist(work / "mnist")
    if scenario.checkpoint:
        initial = oracle.recorded(scenario, run).initial
        checkpoints.write(work / "checkpoints", initial, 0)
    if scenario.resumed:  # Both go on from what TensorFlow 1 saved in mid-run.
        checkpoints.copy(oracle.saved(scenario, run), work / "checkpoints")


NOTEBOOKS = pathlib.Path(__file__).parents[2] / "notebooks"


def notebook_pairs() -> list[str]:
    """Names of the paired notebooks."""
    found = NOTEBOOKS.glob("*_tf1.ipynb")
    return sorted(path.name.removesuffix("_tf1.ipynb") for path in found)


def verify_notebooks(
    name: str, work: pathlib.Path, python: str, steps: int = 60
) -> Verdict:
    """Verifies one pair as a user would: `TRAIN_STEPS=60 ... tf1to2 verify OLD NEW`."""
    old, new = work / "old", work / "new"
    for directory, suffix in ((old, "tf1"), (new, "tf2")):
        directory.mkdir(parents=True)
        shutil.copy(NOTEBOOKS / f"{name}_{suffix}.ipynb", directory)
    (work / "runs").mkdir()
    given = {"TRAIN_STEPS": str(steps), "TRACE": "trace", "CHECKPOINTS": "checkpoints"}
    with mock.patch.dict(os.environ, given):
        return verify(
            Request(
                old / f"{name}_tf1.ipynb",
                new / f"{name}_tf2.ipynb",
                (),
                work / "runs",
                Limits(steps=2 * steps, seconds=300),
                python,
                preloaded=True,
            )
        )


@click.command()
@click.argument("names", metavar="[SCENARIO]...", nargs=-1)
@click.option("--faults", is_flag=True, help="The planted faults, which must be seen.")
@click.option("--notebooks", is_flag=True, help="The paired notebooks.")
@click.option("--steps", type=int, default=200, show_default=True)
def main(names: tuple[str, ...], faults: bool, notebooks: bool, steps: int) -> None:
    """Verifies the suite's pairs; exits with 1 if a verdict is not the expected one."""
    python = str(environment.make())
    wanted = Outcome.DIFFERENT if faults else Outcome.EQUAL
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="tf1to2-suite-") as made:
        work = pathlib.Path(made)
        originals: Originals = {}
        for name in (names or notebook_pairs()) if notebooks else ():
            verdict = verify_notebooks(name, work / name, python)
            wrong += verdict.outcome is not Outcome.EQUAL
            mark = " " if verdict.outcome is Outcome.EQUAL else "!"
            click.echo(f"{mark} {name}.ipynb: {verdict.line.splitlines()[0]}")
        if notebooks:
            raise SystemExit(bool(wrong))
        for case in cases(names, faults):
            if case.fault:
                verdict = judge_fault(case, work, python, steps, originals)
            else:
                verdict = verify_case(
                    case, work, python, steps=steps, originals=originals
                )
            wrong += verdict.outcome is not wanted
            mark = " " if verdict.outcome is wanted else "!"
            click.echo(f"{mark} {case}: {verdict.line.splitlines()[0]}")
    raise SystemExit(bool(wrong))


def judge_fault(
    case: Case, work: pathlib.Path, python: str, steps: int, originals: Originals
) -> Verdict:
    """Most faults show at once, some begin late: what few steps do not show, all may."""
    verdict = verify_case(case, work, python, steps=_FEW, originals=originals)
    if verdict.outcome is Outcome.DIFFERENT or steps <= _FEW:
        return verdict
    return verify_case(case, work, python, steps=steps, originals=originals)


if __name__ == "__main__":
    main()
