"""`python -m tests.package` builds the wheel and the sdist, and tries them outside the checkout.

Each is installed in a fresh environment of every Python 3.10 to 3.13 that is found, without
TensorFlow; once more with the lowest versions of the dependencies that pyproject.toml
admits. There the main commands run on a program of their own, beside a package of the
user's that is called `migrate`. It needs a package index, and takes some minutes.
"""

from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
# The lowest versions, on the oldest Python: newer ones have no wheels of that age.
LOWEST = (
    *("click==8.1.0", "fissix==24.4.24", "libcst==1.4.0", "pathspec==0.12.0"),
    *("pyyaml==6.0.1", "tomli==2.0.0"),
)

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
train = tf.train.GradientDescentOptimizer(.1).minimize(tf.square(v - x))
with tf.train.MonitoredTrainingSession() as sess:
    for _ in range(3):
        sess.run(train, {x: 1.})
"""
BLOCKED = PROGRAM + "        print(train)\n"
# Prints the names of all files of the runtime, and the line that installs it.
RUNTIME = """\
import os, sys, tf1to2
sys.path.insert(0, os.path.dirname(tf1to2.__file__))
from migrate import emitted, extras
print(*sorted(emitted.list_names()), extras.write_runtime_install_line(), sep="\\n")
"""
RIVAL = "raise ImportError('the user has a package called migrate, too')\n"
# Arguments -> exit code and what is printed.
COMMANDS = (
    (["-V"], 0, "tf1to2, version"),
    ([], 0, "1 of 2 programs can be migrated now"),
    (["demo"], 0, "replicas.run(run_worker)"),
    (["check", "."], 1, "1 of 2 programs can be migrated now, 1 is blocked."),
    (["migrate", "train.py", "--diff"], 0, "+import training_session"),
    (["rule", "S112"], 0, "A program of the test suite has:"),
    (["migrate", "blocked.py"], 1, "rules/S112/"),
    (["check", ".", "--report", "r.html", "--report", "r.sarif"], 1, "ready"),
    (["migrate", "train.py", "--write", "--backup", "old"], 0, "tf1to2 verify"),
    (["verify", "train.py"], 1, "[verify]"),
)


def find_python(version: str) -> str | None:
    """An interpreter of a version: on the PATH, or pyenv's."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    own = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(own[-1]) if own else shutil.which(f"python{version}")


def build(directory: pathlib.Path) -> list[pathlib.Path]:
    """The wheel and the sdist, built from a clean copy of what git has."""
    copy = directory / "source"
    archive = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    for name in filter(None, os.fsdecode(archive.stdout).split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    environment = _environment(sys.executable, directory / "build")
    _pip(environment, "build")
    out = directory / "dist"
    subprocess.run(
        [environment / "bin/python", "-m", "build", "-o", out, copy],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return sorted(out.iterdir())


def _environment(python: str, directory: pathlib.Path) -> pathlib.Path:
    subprocess.run([python, "-m", "venv", directory], check=True)
    return directory


def _pip(environment: pathlib.Path, *packages: object) -> None:
    subprocess.run(
        [environment / "bin/python", "-m", "pip", "install", "-q", *map(str, packages)],
        check=True,
    )


def try_out(environment: pathlib.Path, work: pathlib.Path) -> None:
    """Runs the commands in a project of its own.

    Raises:
      AssertionError: one of them does not do what it should.
    """
    (work / "migrate").mkdir(parents=True)
    (work / "migrate" / "__init__.py").write_text(RIVAL)
    (work / "train.py").write_text(PROGRAM)
    (work / "other.py").write_text("import tensorflow\n")
    (work / "blocked.py").write_text(BLOCKED)
    inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CI")}
    for arguments, code, told in COMMANDS:
        for start in ([environment / "bin/tf1to2"], None):
            if start is None and "--write" in arguments:
                continue  # It is done already.
            done = subprocess.run(
                [*(start or [environment / "bin/python", "-m", "tf1to2"]), *arguments],
                cwd=work,
                capture_output=True,
                text=True,
                # The user's package comes first on every path but ours.
                env={**inherited, "PYTHONPATH": str(work), "HOME": str(work)},
                timeout=120,
            )
            output = done.stdout + done.stderr
            assert done.returncode == code and told in output, (arguments, output)
    assert (work / "old" / "train.py").read_text() == PROGRAM
    listed = subprocess.run(
        [environment / "bin/python", "-c", "import tensorflow"], capture_output=True
    )
    assert listed.returncode, "TensorFlow is in the environment"


def try_runtime(environment: pathlib.Path, directory: pathlib.Path) -> None:
    """Builds `tf1to2-runtime` from the installed tool: it has all that can be written.

    Raises:
      AssertionError: a file is missing, or one is there that should not be.
    """
    told = subprocess.run(
        [environment / "bin/python", "-c", RUNTIME],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    source = shlex.split(told.pop())[-1]
    command = [environment / "bin/python", "-m", "pip", "wheel", "-q", "--no-deps"]
    subprocess.run([*command, "-w", directory, source], check=True)
    (wheel,) = directory.glob("tf1to2_runtime-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = {
            name.removeprefix("tf1to2_runtime/")
            for name in archive.namelist()
            if name.startswith("tf1to2_runtime/")
        }
    assert inside - {"__init__.py"} == set(told), inside ^ set(told)


def main(versions: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        base = pathlib.Path(directory)
        built = build(base)
        for version in versions or VERSIONS:
            python = find_python(version)
            if python is None:
                print(f"{version}: not found, not tried")
                continue
            # pip builds the sdist with this Python; the wheel was built from it before.
            trials: list[tuple[pathlib.Path, tuple[str, ...]]]
            trials = [(path, ()) for path in built]
            if version == VERSIONS[0]:
                (wheel,) = (path for path in built if path.suffix == ".whl")
                trials.append((wheel, LOWEST))
            for number, (path, more) in enumerate(trials):
                environment = _environment(python, base / f"{version}-{number}")
                _pip(environment, path, *more)
                try_out(environment, base / f"work-{version}-{number}")
                if number == 0:
                    try_runtime(environment, base / f"runtime-{version}")
                lowest = ", lowest dependencies" if more else ""
                print(f"{version}: {path.name}{lowest}: passed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
