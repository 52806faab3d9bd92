"""Decides how a program is started: alone, or as tasks on free loopback ports."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Sequence

from reference.processes import Hosts
from reference.verify.problems import CannotRun

_JOB = ("job_name", "job", "job_type", "task_type")
_INDEX = ("task_index", "task_id", "task", "index", "task_number", "worker_index")
_PS = ("ps_hosts", "ps_host", "ps", "ps_addresses", "parameter_servers")
_WORKERS = ("worker_hosts", "worker_host", "workers", "worker_addresses", "wk_hosts")
_DEFINED = re.compile(
    r"""(?:DEFINE_\w+\(|add_argument\()\s*(?:\w+\s*=\s*)?["']-{0,2}([\w-]+)["']"""
    r"""(?:\s*,\s*["']--([\w-]+)["'])?""",  # `add_argument("-j", "--job_name")`
    re.S,
)


@dataclasses.dataclass(frozen=True)
class Tasks:
    """The processes of a program, and how they are started.

    Attributes:
      ps, workers: 0 ps and 1 worker without a launch: one process.
      flags: what every task is given, with {job}, {index}, {ps} and {workers}; or
      tf_config: the environment variable TF_CONFIG is.
      chief: worker 0 is called the chief in TF_CONFIG.
      client: one more task, job "client", trains; the others serve.
      said: what was chosen, and why: a sentence; "" if the user has chosen.
    """

    ps: int = 0
    workers: int = 1
    flags: str = ""
    tf_config: bool = False
    chief: bool = False
    said: str = ""
    client: bool = False

    @property
    def alone(self) -> bool:
        return not self.flags and not self.tf_config

    @property
    def has_ports(self) -> bool:
        """Whether the program itself says which ports its tasks have: all runs share them."""
        return bool(self.flags) and "{workers}" not in self.flags

    def arguments(self, job: str, index: int, hosts: Hosts) -> list[str]:
        values = {
            "job": job,
            "index": str(index),
            "ps": ",".join(hosts.ps),
            "workers": ",".join(hosts.worker),
        }
        return [part.format(**values) for part in shlex.split(self.flags)]

    def environment(self, job: str, index: int, hosts: Hosts) -> dict[str, str]:
        if not self.tf_config:
            return {}
        cluster = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
        if not hosts.ps:
            del cluster["ps"]
        if self.chief:
            cluster["chief"] = cluster["worker"][:1]
            del cluster["worker"][:1]
            if not cluster["worker"]:
                del cluster["worker"]
            if job == "worker":
                job, index = ("worker", index - 1) if index else ("chief", 0)
        task = {"type": job, "index": index}
        return {
            "TF_CONFIG": json.dumps(
                {"cluster": cluster, "task": task, "environment": "cloud"}
            )
        }


ALONE = Tasks()


def of_program(
    text: str,
    arguments: Sequence[str],
    launch: str = "auto",
    ps: int | None = None,
    workers: int | None = None,
    flags: str = "",
) -> Tasks:
    """Decides how to start the program of this text.

    Args:
      launch: "auto", "alone", "flags" or "tf_config".
      ps, workers: how many; None: one parameter server, one worker.
      flags: a template where the flags have other names.

    Raises:
      CannotRun: the arguments have a part of a task's flags.
    """
    servers = 1 if ps is None else ps
    # Two are the fewest that show what workers do to each other.
    keeps = re.search(r"\bMonitoredTrainingSession\b|\bSupervisor\b", text)
    count = workers or (2 if keeps else 1)
    if flags:
        return Tasks(servers, count, flags)
    if launch == "alone":
        return ALONE
    chief = bool(re.search(r"\bRunConfig\b|train_and_evaluate|[\"']chief[\"']", text))
    if launch == "tf_config":
        return Tasks(servers, count, tf_config=True, chief=chief)
    found = _flags(text)
    given = {a.lstrip("-").partition("=")[0] for a in arguments if a.startswith("-")}
    own = re.findall(r"--([\w-]+)=", found)
    if own and given & set(own) and not given >= set(own[:2]):
        raise CannotRun(_explain_given([name for name in own if name in given], own))
    if found and not given & set(own):
        said = f"Started as tasks of a cluster by its flags: {found}"
        client = bool(re.search(r"==\s*[\"']client[\"']", text))
        return Tasks(servers, count, found, said=said, client=client)
    named = "TF_CONFIG" in text or (workers or 0) > 1 or bool(ps)
    if named and launch == "auto":
        said = "Started as tasks of a cluster by TF_CONFIG"
        return Tasks(servers, count, tf_config=True, chief=chief, said=said)
    return ALONE


def _explain_given(given: Sequence[str], own: Sequence[str]) -> str:
    """Says that a user gave a part of what each task is given."""
    shown = ", ".join(f"--{name}" for name in given)
    every = ", ".join(f"--{name}" for name in own)
    return (
        f"you gave {shown} to the program, and not --{own[0]} and --{own[1]}. verify "
        f"starts the tasks of a cluster itself, and gives {every} to each of them. So "
        f"leave out {shown}: --ps and --workers choose how many tasks there are. To start "
        "one process with your flags, add --launch alone"
    )


def _flags(text: str) -> str:
    """The template of a program's own flags; "" where it does not define all of them."""
    names = {name for both in _DEFINED.findall(text) for name in both if name}
    chosen = []
    for value, candidates in (
        ("{job}", _JOB),
        ("{index}", _INDEX),
        ("{ps}", _PS),
        ("{workers}", _WORKERS),
    ):
        name = next((n for n in candidates if n in names), None)
        if name is None:
            return ""
        chosen.append(f"--{name}={value}")
    return " ".join(chosen)
