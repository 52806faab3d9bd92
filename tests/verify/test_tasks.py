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


OWN = 'DEFINE_string("job_name", "", "")\nDEFINE_integer("task_index", 0, "")\n'
HOSTS = """
servers = ["localhost:2221", "127.0.0.1:2222"]
workers = ["localhost:2241", "[::1]:2242", "localhost:2243"]
cluster = tf.train.ClusterSpec({"ps": servers, "worker": workers})
"""


def test_addresses_that_stand_in_the_program_say_how_many_tasks_there_are() -> None:
    found = of_program(OWN + HOSTS, [])
    assert found.flags == "--job_name={job} --task_index={index}"
    assert (found.ps, found.workers) == (2, 3)
    assert found.has_ports and "The program itself says" in found.said
    written = 'tf.train.ClusterSpec({"worker": ["localhost:1", "localhost:2"]})'
    found = of_program(OWN + written, [])
    assert (found.ps, found.workers) == (0, 2)


@pytest.mark.parametrize(
    "text",
    [
        # No flags; addresses that the program computes; a name of two values.
        HOSTS,
        OWN + HOSTS.replace('["localhost:2221", "127.0.0.1:2222"]', "find_servers()"),
        OWN + HOSTS + "servers = []\n",
    ],
)
def test_other_programs_are_started_alone(text: str) -> None:
    assert of_program(text, []) is ALONE


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("localhost:2243", "pc-03:2222", "a task is at pc-03:2222"),
        ("localhost:2243", "10.0.0.3:2222", "a task is at 10.0.0.3:2222"),
        ('"worker":', '"evaluator":', 'a job "evaluator"'),
    ],
)
def test_tasks_that_verify_cannot_start_are_told(old: str, new: str, why: str) -> None:
    with pytest.raises(CannotRun, match=why):
        of_program(OWN + HOSTS.replace(old, new), [])
