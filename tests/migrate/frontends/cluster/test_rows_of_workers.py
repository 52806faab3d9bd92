"""Rows of the table of what workers share: each is seen in what becomes of a loop."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

PROGRAM = (
    pathlib.Path(__file__).parents[3] / "programs" / "clustered" / "workers_own.py"
).read_text()
BEFORE_MAIN = "def main(_):"
IN_LOOP = "            rows = drifted(rows)\n"
RATE = "GradientDescentOptimizer(0.05)"


def migrated(before: str, call: str, rate: str = "0.05") -> Migration:
    """The program with something before its `main`, and something in its loop."""
    changes = (
        (BEFORE_MAIN, f"{before}\n\n{BEFORE_MAIN}"),
        (IN_LOOP, f"{IN_LOOP}            {call}\n"),
        (RATE, f"GradientDescentOptimizer({rate})"),
    )
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text)


def refusals(migration: Migration) -> set[str]:
    return {
        f.code
        for f in migration.findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }


_RANKS = """RANK LOCAL_RANK SLURM_PROCID SLURM_NODEID SLURM_LOCALID OMPI_COMM_WORLD_RANK
    OMPI_COMM_WORLD_LOCAL_RANK PMI_RANK PMIX_RANK TASK_INDEX TASK_ID HOSTNAME POD_NAME"""


@pytest.mark.parametrize("name", _RANKS.split())
def test_what_a_launcher_tells_each_process_is_no_step_s(name: str) -> None:
    rate = f'float(os.environ["{name}"])'
    assert "C107" in refusals(migrated("import os", "pass", rate))


@pytest.mark.parametrize("name", ["RATE", "HOME"])
def test_what_all_processes_are_told_may_be(name: str) -> None:
    rate = f'float(os.environ["{name}"])'
    assert not refusals(migrated("import os", "pass", rate))


@pytest.mark.parametrize(
    "name", ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "TF_CPP_MIN_LOG_LEVEL"]
)
def test_what_changes_no_number_may_be_set_by_all(name: str) -> None:
    assert not refusals(migrated("import os", f'os.environ["{name}"] = str(i)'))
    assert refusals(migrated("import os", 'os.environ["STEP"] = str(i)')) == {"C109"}


def test_all_workers_may_set_a_variable_to_one_value() -> None:
    assert not refusals(migrated("import os", 'os.environ["STEP"] = "20"'))


_KEPT = """
class Kept(object):
    def {name}(self, value):
        return value


KEPT = Kept()
"""


@pytest.mark.parametrize("name", ["__next__", "next", "seed", "send", "shuffle"])
def test_a_method_of_generators_changes_no_other_object(name: str) -> None:
    text = migrated(_KEPT.format(name=name), f"KEPT.{name}(i)").text
    assert "KEPT = Kept()" in text


@pytest.mark.parametrize("name", ["write", "append"])
def test_a_method_that_changes_its_object_needs_one_for_each(name: str) -> None:
    text = migrated(_KEPT.format(name=name), f"KEPT.{name}(i)").text
    assert "KEPT = training_session.per_worker(lambda: Kept())" in text


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("random.random()", "training_session.python_random.random()"),
        ("random.SystemRandom().random()", " random.SystemRandom()"),
        ("np.random.rand()", "training_session.numpy_random.rand()"),
    ],
)
def test_each_worker_has_a_generator(call: str, written: str) -> None:
    assert written in migrated("import random", call).text


def test_what_arguments_are_read_to_is_shared() -> None:
    made = "import argparse\nPARSER = argparse.ArgumentParser()"
    text = migrated(made, "PARSER.format_help()").text
    assert "PARSER = argparse.ArgumentParser()\n" in text
