"""Checks how TensorFlow 1.15.5 is found or made, and what replaces it."""

from __future__ import annotations

import os
import pathlib
import stat
import subprocess
import sys
from collections.abc import Iterator

import pytest

from reference import container, environment
from reference.environment import TF1, TF215, Release, run_and_tell

# Prints its arguments, as the last lines of an installation are told.
_ECHO = '#!/bin/sh\necho "$@"\n'


@pytest.fixture
def bare(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pathlib.Path]:
    """A machine without any Python for a release, and an empty cache; its PATH."""
    commands = tmp_path / "commands"
    commands.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{commands}:/usr/bin:/bin")
    monkeypatch.setattr(environment, "pythons", lambda release=TF1: iter(()))
    monkeypatch.setattr(environment, "find_uv", lambda: None)
    monkeypatch.setattr(container, "find_engine", lambda: None)
    find = environment.find
    find.cache_clear()
    yield commands
    find.cache_clear()


def command(directory: pathlib.Path, name: str, text: str) -> str:
    path = directory / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_without_any_way_it_says_what_is_missing(bare: pathlib.Path) -> None:
    with pytest.raises(RuntimeError, match="no Python 3.7 was found, no uv .* TF1_PYT"):
        environment.make()
    with pytest.raises(
        RuntimeError, match="(?s)Python 3.7 .*Python 3.11 or 3.10 or 3.9"
    ):
        environment.find_oracle()


def test_uv_is_told_to_download_a_python(
    bare: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = command(bare, "uv", _ECHO)
    monkeypatch.setattr(environment, "find_uv", lambda: uv)
    told: list[str] = []
    with pytest.raises(RuntimeError, match="was installed but does not import"):
        environment.make(TF1, told.append)
    made = environment.cache_directory(TF1)
    assert told == [
        f"installing TensorFlow 1.15.5 into {made}, by uv ({uv})",
        "tool run --from uv==0.5.0 uv venv --no-project --python-preference only-managed "
        f"--python 3.7 {made}",
        f"pip install --python {made}/bin/python tensorflow==1.15.5 protobuf<3.21",
    ]
    # A newer Python is any uv's.
    assert environment.uv_commands(TF215, "uv", made)[0][:3] == [
        "uv",
        "venv",
        "--no-project",
    ]


def test_an_environment_that_starts_slowly_is_not_made_again(
    bare: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was deleted and installed again, while other processes used it."""
    uv = command(bare, "uv", _ECHO)
    monkeypatch.setattr(environment, "find_uv", lambda: uv)
    made = environment.cache_directory(TF1) / "bin"
    made.mkdir(parents=True)
    command(made, "python", "#!/bin/sh\nexec sleep 30\n")
    monkeypatch.setattr(environment._output, "__defaults__", (0.2,))
    told: list[str] = []
    with pytest.raises(RuntimeError, match="did not answer within"):
        environment.make(TF1, told.append)
    with pytest.raises(environment.Busy):
        environment.find_oracle(told.append)
    assert not told and (made / "python").exists()


def test_a_way_that_fails_is_followed_by_the_next(
    bare: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = command(bare, "uv", "#!/bin/sh\necho no network\nexit 3\n")
    docker = command(bare, "docker", _ECHO)
    monkeypatch.setattr(environment, "find_uv", lambda: uv)
    monkeypatch.setattr(container, "find_engine", lambda: docker)
    told: list[str] = []
    with pytest.raises(RuntimeError, match="(?s)uv .*no network"):
        environment.make(TF1, told.append)
    assert told[-1] == (
        f"build --tag tf1to2/tensorflow:1.15.5 {container.IMAGE_DIRECTORY}"
    )
    python = environment.cache_directory(TF1) / "bin" / "python"
    assert os.access(python, os.X_OK)


def test_an_environment_is_made_of_a_python(tmp_path: pathlib.Path) -> None:
    """Really made, but for what would be downloaded; told line by line."""
    release = Release("0", ("--version",), ("3",), "NONE")
    made = tmp_path / "made"
    create, install = environment.venv_commands(
        release, pathlib.Path(sys.executable), made
    )
    told: list[str] = []
    run_and_tell([*create, "--without-pip"], told.append, {})
    assert (made / "bin" / "python").exists()
    assert install[0] == str(made / "bin" / "python")
    run_and_tell([sys.executable, "-c", "print('one'); print('two')"], told.append, {})
    assert told[-2:] == ["one", "two"]


def test_what_fails_says_what_it_printed_last() -> None:
    code = "print('because'); raise SystemExit(3)"
    with pytest.raises(RuntimeError, match="failed: because"):
        run_and_tell([sys.executable, "-c", code], lambda line: None, {})
    with pytest.raises(RuntimeError, match="/nowhere/uv"):
        run_and_tell(["/nowhere/uv"], lambda line: None, {})


def test_compat_takes_its_place_and_says_so(
    bare: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = pathlib.Path(sys.executable)
    monkeypatch.setattr(
        environment, "find", lambda release: here if release is TF215 else None
    )
    told: list[str] = []
    oracle = environment.find_oracle(told.append)
    assert (oracle.python, oracle.side) == (here, "compat")
    assert oracle.name.startswith(
        "TensorFlow 2.15.1's compat.v1, for no Python 3.7 was found"
    )
    assert told[0].startswith("no TensorFlow 1.15.5: no Python 3.7 was found")
    # The control: where it is found it is the oracle.
    monkeypatch.setattr(environment, "find", lambda release: here)
    assert environment.find_oracle().name == "TensorFlow 1.15.5"


# -- containers -----------------------------------------------------------------------


def test_a_container_sees_what_the_program_is_given(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "work" / "program.py"
    program.parent.mkdir()
    program.write_text("")
    given = {"TF_CONFIG": "{}", "PATH": "/bin", "HOME": "/root", "NOT A NAME": "1"}
    made = container.run_command(
        "docker", "image", [str(program), "--x=1"], given, "/srv/elsewhere"
    )
    volumes = [made[i + 1] for i, part in enumerate(made) if part == "--volume"]
    assert "/srv/elsewhere:/srv/elsewhere" in volumes
    project = pathlib.Path(container.__file__).resolve().parents[1]
    assert any(str(project).startswith(v.split(":")[0]) for v in volumes)
    assert any(str(program).startswith(v.split(":")[0]) for v in volumes)
    assert not any(v.startswith("/:") for v in volumes)
    assert [made[i + 1] for i, part in enumerate(made) if part == "--env"] == [
        "TF_CONFIG"
    ]
    assert made[made.index("--network") + 1] == "host"  # For clusters on loopback.
    assert made[made.index("image") :] == [
        "image", "timeout", "7200", "python", str(program), "--x=1",
    ]  # fmt: skip


def test_the_interpreter_of_a_container_calls_the_engine(
    bare: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    engine = command(bare, "docker", _ECHO)
    python = tmp_path / "it's here" / "python"
    container.write_interpreter(engine, "image", python)
    done = subprocess.run(
        [str(python), "-c", "print( 1 )"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("run --rm --init --network host")
    assert done.stdout.endswith("image timeout 7200 python -c print( 1 )\n")


def test_the_image_has_what_is_pinned() -> None:
    text = (container.IMAGE_DIRECTORY / "Dockerfile").read_text()
    for requirement in TF1.pinned:
        assert f'"{requirement}"' in text
    assert f"docker build --tag {TF1.image} ." in text
    assert f"python:{TF1.pythons[0]}-" in text
