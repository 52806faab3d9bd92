"""Checks how verify decides to start a program: alone, or as tasks of a cluster."""

from __future__ import annotations

import pytest

from reference.verify.problems import CannotRun
from reference.verify.tasks import ALONE, of_program

FLAGS = "--job_name={job} --task_index={index} --ps_hosts={ps} --worker_hosts={workers}"
NAMES = ("ps_hosts", "worker_hosts", "job_name", "task_index")
ARGPARSE = "".join(
    f'parser.add_argument(\n    "--{n}",\n    type=str)\n' for n in NAMES
)
SHORT = "".join(f'parser.add_argument("-{n[0]}", "--{n}")\n' for n in NAMES)
ABSL = "".join(f'tf.app.flags.DEFINE_string("{n}", "", "")\n' for n in NAMES)


@pytest.mark.parametrize("text", [ARGPARSE, SHORT, ABSL])
def test_a_cluster_is_started_by_its_own_flags(text: str) -> None:
    assert of_program(text, []).flags == FLAGS
    assert of_program(text, ["--steps=3"]).flags == FLAGS
    assert of_program(text, ["--ps_hosts=a:1"], launch="alone") is ALONE


def test_a_whole_task_is_started_alone() -> None:
    given = ["--job_name=worker", "--task_index=0", "--worker_hosts=a:1"]
    assert of_program(ARGPARSE, given) is ALONE


@pytest.mark.parametrize(
    "given", [["--ps_hosts=a:1", "--worker_hosts=b:1"], ["--task_index", "0"]]
)
def test_a_part_of_a_task_is_refused(given: list[str]) -> None:
    """The program was started as one process, and waited until the time limit."""
    with pytest.raises(CannotRun, match="leave out --.* add --launch alone"):
        of_program(ARGPARSE, given)
