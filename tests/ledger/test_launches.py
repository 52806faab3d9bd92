"""Checks the digests of launches: the same in every place and at any time."""

from __future__ import annotations

import os
import pathlib
import sys
import time

import numpy as np
import pytest

from reference import processes
from reference.genuine import record
from reference.processes import Launch
from tests.ledger import launches


def _launch(directory: pathlib.Path, *arguments: str, **environment: str) -> Launch:
    program = directory / "program.py"
    return Launch(sys.executable, (str(program), *arguments), environment, {})


def _written(directory: pathlib.Path, sign: str = "+") -> pathlib.Path:
    (directory / "runtime").mkdir(parents=True)
    (directory / "program.py").write_text("import runtime\n")
    (directory / "runtime" / "__init__.py").write_text(f"value = 1 {sign} 1\n")
    (directory / "__pycache__").mkdir()
    (directory / "__pycache__" / "a.pyc").write_bytes(os.urandom(4))
    return directory


def test_another_directory_and_other_ports_are_the_same(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    one, two = (_written(tmp_path_factory.mktemp("work")) for _ in range(2))
    found = [
        launches.look_at(
            _launch(at, f"--dir={at}", f"--hosts=localhost:{port}", A=str(at))
        ).digest
        for at, port in ((one, 20001), (two, 31999))
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "name",
    [
        "events.out.tfevents.1795869302.vm",
        "model.ckpt-6.index",
        "m.data-00000-of-00001",
    ],
)
def test_what_tensorflow_wrote_before_is_no_part_of_it(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    one, other = (_written(tmp_path_factory.mktemp("work")) for _ in range(2))
    before = launches.look_at(_launch(one)).digest
    (other / name).write_bytes(os.urandom(8))
    assert launches.look_at(_launch(other)).digest == before


@pytest.mark.parametrize(
    "change",
    ["sign", "argument", "environment", "data", "interpreter", "inherited"],
)
def test_whatever_processes_see_is_in_it(change: str, tmp_path: pathlib.Path) -> None:
    before = launches.look_at(_launch(_written(tmp_path / "work"), A="1")).digest
    other = _written(tmp_path / "work2", "-" if change == "sign" else "+")
    if change == "data":
        (other / "data.csv").write_text("1,2\n")
    arguments = ["--steps=2"] if change == "argument" else []
    launch = _launch(other, *arguments, A="2" if change == "environment" else "1")
    if change == "interpreter":
        launch = Launch("/nowhere/bin/python", launch.command, launch.environment, {})
    if change == "inherited":
        inherited = {"TF_ENABLE_ONEDNN_OPTS": "0"}
        launch = Launch(launch.python, launch.command, launch.environment, inherited)
    assert launches.look_at(launch).digest != before


@pytest.mark.parametrize(
    "inherited",
    [
        {"TF_CLI_CONFIG_FILE": "/home/me/.terraformrc", "TF_VAR_zone": "a"},
        {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_L2_SIZE": "512"},
    ],
    ids=["terraform", "processor"],
)
def test_what_decides_no_result_is_no_part_of_it(
    inherited: dict[str, str], tmp_path: pathlib.Path
) -> None:
    launch = _launch(tmp_path)
    told = Launch(launch.python, launch.command, launch.environment, inherited)
    assert launches.look_at(told).digest == launches.look_at(launch).digest


def test_a_script_of_ours_is_seen_with_what_it_imports() -> None:
    script = launches.ROOT / "tests" / "support" / "tf2_contrib_optimizers.py"
    seen = launches.look_at(Launch(sys.executable, (str(script),), {}, {}))
    names = {path.relative_to(launches.ROOT).as_posix() for path in seen.committed}
    assert {
        "tests/support/tf1_contrib_optimizers.py",
        "reference/processes.py",
        "migrate/support/training_session/__init__.py",
    } <= names
    assert any(n.startswith("migrate/support/training_session/a") for n in names)


def test_an_archive_is_known_by_its_arrays(tmp_path: pathlib.Path) -> None:
    values = {"a/x": np.arange(3.0), "b/x": np.ones(2)}
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    np.savez(one, **values)
    time.sleep(2.1)  # The times in a zip file count in two seconds.
    np.savez_compressed(two, **values)
    assert one.read_bytes() != two.read_bytes()
    assert launches.content(one) == launches.content(two)
    np.savez(two, **{**values, "b/x": np.zeros(2)})
    assert launches.content(one) != launches.content(two)
    # A proof of one program does not depend on what is recorded of another.
    a, b, no = (frozenset({name}) for name in "abc")
    assert launches.entries(one, a) == launches.entries(two, a)
    assert launches.entries(one, b) != launches.entries(two, b)
    assert launches.entries(one, no) != launches.entries(two, no)


def test_an_archive_of_python_objects_is_known_by_its_bytes(
    tmp_path: pathlib.Path,
) -> None:
    path = tmp_path / "objects.npz"
    np.savez(path, found=np.array([{"a": 1}], dtype=object))
    before = launches.content(path)
    np.savez(path, found=np.array([{"a": 2}], dtype=object))
    assert launches.content(path) != before


def test_the_environment_of_the_tests_is_not_told_as_a_launchs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    """A virtual environment in a temporary directory would be read file by file."""
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    told: list[processes.Launch] = []

    def listen(launch: processes.Launch) -> None:
        told.append(launch)
        raise InterruptedError

    monkeypatch.setattr(processes, "before_launch", [listen])
    for packages in (None, tmp_path):
        started = record.Started(tmp_path, "a.py", packages=packages)
        with pytest.raises(InterruptedError):
            record.record("python", started)
    assert [str(tmp_path) in launch.environment.values() for launch in told] == [
        False,
        True,  # As the place of packages, which it was told.
    ]
    assert all("VIRTUAL_ENV" not in launch.environment for launch in told)


def test_a_checkout_in_a_temporary_directory_is_as_any_other(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files keep what they say of ports and paths: they are compared with a commit's."""
    file = tmp_path / "program.py"
    file.write_text("HOSTS = 'localhost:22222'\n")
    written = launches.content(file)
    monkeypatch.setattr(launches, "ROOT", tmp_path)
    committed = launches.content(file)
    assert written != committed
    file.write_text("HOSTS = 'localhost:22223'\n")
    assert launches.content(file) != committed


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ([sys.executable, "-W", "ignore", "-c", "import json"], ()),
        (
            [sys.executable, "-c", "from reference import parsing"],
            ("reference/__init__.py", "reference/parsing.py"),
        ),
        ([sys.executable, "reference/parsing.py"], ("reference/parsing.py",)),
        (
            [sys.executable, "-m", "tf1to2", "check", "docs/why.md"],
            ("docs/why.md", "pyproject.toml"),
        ),
        # Nobody knows: pytest finds files itself, and so do the others.
        ([sys.executable, "-m", "pytest", "tests/ledger"], None),
        ([sys.executable, "-m", "tf1to2", "check"], None),
        ([sys.executable, "-m", "tf1to2", "check", "--quiet", "."], None),
        ([sys.executable, "-c", "import ("], None),
        (["git", "status"], None),
        (["mkdocs", "build"], None),
    ],
)
def test_what_an_untold_process_reads(
    command: list[str], reads: tuple[str, ...] | None
) -> None:
    found = launches.find_read_by(command, launches.ROOT)
    if reads is None:
        assert found is None
    else:
        assert found is not None
        assert {path.relative_to(launches.ROOT).as_posix() for path in found} == {
            *reads
        }


def test_git_reads_only_where_it_runs(tmp_path: pathlib.Path) -> None:
    assert launches.find_read_by(["git", "init"], tmp_path) == frozenset()
