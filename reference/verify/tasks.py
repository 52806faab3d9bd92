"""Decides how a program is started: alone, or as tasks on free loopback ports."""

from __future__ import annotations

import ast
import dataclasses
import ipaddress
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
_OWN = (("{job}", _JOB), ("{index}", _INDEX))
_ALL = (*_OWN, ("{ps}", _PS), ("{workers}", _WORKERS))
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
    found = _flags(text, _ALL)
    fixed = None if found else _read_cluster(text)
    if fixed is not None:
        found = _flags(text, _OWN)
    given = {a.lstrip("-").partition("=")[0] for a in arguments if a.startswith("-")}
    own = re.findall(r"--([\w-]+)=", found)
    if own and given & set(own) and not given >= set(own[:2]):
        raise CannotRun(_explain_given([name for name in own if name in given], own))
    if found and not given & set(own):
        said = f"Started as tasks of a cluster by its flags: {found}"
        if fixed is not None:
            servers, count = _count_tasks(fixed)
            said += ". The program itself says how many there are, and their ports"
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


def _flags(text: str, wanted: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The template of a program's own flags; "" where it does not define all of them."""
    names = {name for both in _DEFINED.findall(text) for name in both if name}
    chosen = []
    for value, candidates in wanted:
        name = next((n for n in candidates if n in names), None)
        if name is None:
            return ""
        chosen.append(f"--{name}={value}")
    return " ".join(chosen)


def _read_cluster(text: str) -> dict[str, list[str]] | None:
    """The addresses of each job that stand in a program; None if they do not."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    bound: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            bound.setdefault(ast.unparse(node.targets[0]), []).append(node.value)

    def read(value: ast.expr) -> object:
        if isinstance(value, ast.Name) and len(bound.get(value.id, ())) == 1:
            return read(bound[value.id][0])
        if isinstance(value, ast.Dict):
            return {
                read(k): read(v)
                for k, v in zip(value.keys, value.values, strict=True)
                if k is not None
            }
        try:
            return ast.literal_eval(value)
        except ValueError:
            return None

    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="ClusterSpec"), args=[given]):
                found = read(given)
                if isinstance(found, dict) and all(
                    isinstance(hosts, list) and all(isinstance(h, str) for h in hosts)
                    for hosts in found.values()
                ):
                    return found
    return None


def _count_tasks(cluster: dict[str, list[str]]) -> tuple[int, int]:
    """How many parameter servers and workers there are.

    Raises:
      CannotRun: a task is on another machine, or of another job.
    """
    for host in (host for hosts in cluster.values() for host in hosts):
        if not _is_loopback(host.rpartition(":")[0]):
            raise CannotRun(
                f"the program says that a task is at {host}. verify starts all tasks on "
                "this machine. Write addresses of this machine in a copy of the program, "
                'for example "localhost:2222", each with a port of its own'
            )
    others = cluster.keys() - {"ps", "worker"}
    if others:
        raise CannotRun(
            f'the program has a job "{min(others)}". verify starts only the jobs "ps" '
            'and "worker" of a program whose addresses stand in it'
        )
    return len(cluster.get("ps", ())), len(cluster.get("worker", ()))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
