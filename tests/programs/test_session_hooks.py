"""Sessions with hooks of the program's own: they are called as TensorFlow 1.15.5 called them."""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests.programs.hook_programs import CASES, Case, live, recorded

# Float32 values of order 1, told with up to 17 digits: a few ULPs, carried on over ten
# steps. The faults below move them by 1e-3 and more, or tell other lines.
TOLERANCE = 2e-5
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Name -> a case, and what is wrong in its migrated text or in a module beside it.
FAULTS = {
    "another_loss": (
        "logger",
        "logger.py",
        'replicas.observe({"loss": loss})\n            variables',
        'replicas.observe({"loss": loss * 1.01})\n            variables',
    ),
    "no_batch_drawn": (
        "logger",
        "logger.py",
        "mon_sess.run(compute_global_step, *iterator.get_next())",
        "global_step.numpy()",
    ),
    "step_before_the_update": (
        "stopping",
        "stopping.py",
        '"global_step": replicas.global_step',
        '"global_step": replicas.global_step - 1',
    ),
    "stops_too_early": (
        "stopping",
        "stopping.py",
        'EarlyStoppingHook("loss", patience=2',
        'EarlyStoppingHook("loss", patience=1',
    ),
    "begins_too_late": (
        "stopping",
        "training_session/own_hooks.py",
        "self._hook.after_create_session(HookSession(sess), None)",
        "pass",
    ),
    "another_tensor_of_the_name": (
        "named",
        "named.py",
        '"train/accuracy": accuracy, ',
        '"train/accuracy": largest, ',
    ),
    "another_rate": (
        "rates",
        "rates.py",
        'training_session.Fed("rate")',
        "0.1",
    ),
    "not_loaded": (
        "rates",
        "training_session/own_hooks.py",
        "self._variable(variable).assign(value)",
        "pass",
    ),
    "step_after_the_update": (
        "workers",
        "workers.py",
        'replicas.observe({"global_step": global_step})',
        'replicas.observe({"global_step": global_step + 1})',
    ),
    "own_loss_of_none": (
        "workers_together",
        "workers.py",
        'replicas.observe({"loss": loss})',
        'replicas.observe({"loss": tf.distribute.get_replica_context()'
        '.all_reduce("mean", loss)})',
    ),
}


def _differs(one: list[list[str]], other: list[list[str]], *, race: int = 0) -> str:
    """Where two programs tell other things; "" where they do not.

    `race` is by how much the last number of a line, a step fetched beside its own
    update, may be ahead of the other's.
    """
    if [len(lines) for lines in one] != [len(lines) for lines in other]:
        return "one tells more"
    for lines, others in zip(one, other, strict=True):
        for line, like in zip(lines, others, strict=True):
            if _NUMBER.sub("#", line) != _NUMBER.sub("#", like):
                return f"{line!r} is {like!r}"
            mine, theirs = _NUMBER.findall(line), _NUMBER.findall(like)
            for place, (a, b) in enumerate(zip(mine, theirs, strict=True), start=1):
                if a.isdigit() and b.isdigit():
                    ahead = race if place == len(mine) else 0
                    differs = not int(b) <= int(a) <= int(b) + ahead
                else:
                    differs = abs(float(a) - float(b)) > TOLERANCE
                if differs:
                    return f"{line!r} is {like!r}"
    return ""


def _migrated(case: Case, directory: pathlib.Path) -> pathlib.Path:
    migration = migrate_text(case.path.read_text(), filename=str(case.path))
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / case.path.name
    program.write_text(migration.text)
    beside.write(directory, migration.text)
    return program


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_equals_recorded_tf1(case: Case, tmp_path: pathlib.Path) -> None:
    program = _migrated(case, tmp_path / "program")
    told = case.run(sys.executable, program, tmp_path / "out")
    assert not _differs(told, recorded(case))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, tmp_path: pathlib.Path) -> None:
    name, file, right, wrong = FAULTS[fault]
    program = _migrated(CASES[name], tmp_path / "program")
    text = (program.parent / file).read_text()
    assert text.count(right) >= 1
    (program.parent / file).write_text(text.replace(right, wrong))
    told = CASES[name].run(sys.executable, program, tmp_path / "out")
    assert _differs(told, recorded(CASES[name]))


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_recordings_are_what_tf1_tells(
    case: Case, tf1: str, tmp_path: pathlib.Path
) -> None:
    """A server's step is read and counted in no order: TF1 itself may tell the next."""
    told = live(case, tf1, tmp_path)
    assert not _differs(told, recorded(case), race=1 if case.ps else 0)


def test_every_worker_has_hooks_of_its_own(tmp_path: pathlib.Path) -> None:
    """Two workers at their own pace: each counts its own steps, and stops after them."""
    case = Case("two_workers", "workers", ps=1, workers=2)
    program = _migrated(case, tmp_path / "program")
    told = case.run(sys.executable, program, tmp_path / "out")
    for lines in told:
        assert [int(line.split()[0]) for line in lines] == [*range(12), 11]
    seen = [int(line.split()[2]) for lines in told for line in lines[:-1]]
    assert min(seen) == 0 and max(seen) > 12  # The steps of both are counted together.
