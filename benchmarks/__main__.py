"""Measures the tool's speed against its peer: `python -m benchmarks [PACKAGE]`.

Three questions. How long does a whole package take, against `tf_upgrade_v2`, the converter
that comes with TensorFlow? It renames symbols file by file; this tool resolves them, reads
programs and checks what it writes. And how long before the command says anything, against
Python itself and the parser that it needs? And what does the second run over an unchanged
tree cost (`--again TREE`)? All in seconds of CPU of the process and its
children, so that a machine that does other things beside changes little; the best of a few
runs, taken in turns. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata

from tests.corpus import packages


def cpu(command: Sequence[str], fine: Sequence[int] = (0, 1)) -> float:
    """Seconds of CPU that a command takes, with its children; it may find something.

    Args:
      fine: the exit codes of a command that has not failed.

    Raises:
      RuntimeError: it failed.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in fine:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(
    commands: Mapping[str, Callable[[], Sequence[str]]], times: int
) -> dict[str, float]:
    """The least time of each command; each round runs all of them."""
    found: dict[str, float] = {}
    for _ in range(times):
        for name, command in commands.items():
            seconds = cpu(command())
            found[name] = min(seconds, found.get(name, seconds))
    return found


def startup(times: int) -> dict[str, float]:
    """Seconds before the command says anything."""
    run = [sys.executable, "-c"]
    commands = {
        "python -c pass": [*run, "pass"],
        "python -c 'import libcst'": [*run, "import libcst"],
        "tf1to2 --help": [sys.executable, "-m", "migrate", "--help"],
    }
    return best({name: lambda c=c: c for name, c in commands.items()}, times)


def package(name: str, times: int) -> dict[str, float]:
    """Seconds for a package of the corpus: a migrated copy of its tree by each tool."""
    (chosen,) = [p for p in packages.PACKAGES if p.name == name]
    with tempfile.TemporaryDirectory() as temporary:
        where = pathlib.Path(temporary)
        tree = packages.unpacked(chosen, where)
        out = where / "out"

        def fresh(command: Sequence[str]) -> Sequence[str]:
            shutil.rmtree(out, ignore_errors=True)
            return command

        peer = shutil.which(
            "tf_upgrade_v2", path=str(pathlib.Path(sys.executable).parent)
        )
        if peer is None:
            raise RuntimeError("tf_upgrade_v2 comes with TensorFlow, which is not here")
        ours = [sys.executable, "-m", "migrate", "migrate", str(tree), "--quiet"]
        ours.append("--no-cache")
        theirs = [peer, "--intree", str(tree), "--outtree", str(out)]
        report = ["--reportfile", str(where / "report.txt")]
        return best(
            {
                "tf1to2": lambda: fresh([*ours, "--output", str(out)]),
                "tf_upgrade_v2": lambda: fresh([*theirs, *report]),
            },
            times,
        )


def again(tree: pathlib.Path) -> tuple[float, float]:
    """Seconds for a tree that was never seen, and for the same tree once more."""
    with tempfile.TemporaryDirectory() as cache:
        run = [sys.executable, "-m", "migrate", "check", str(tree), "--quiet"]
        command = ["env", f"XDG_CACHE_HOME={cache}", *run]
        fine = (0, 1, 2)  # A tree may have files that cannot be read.
        return cpu(command, fine), cpu(command, fine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", nargs="?", default="tensor2tensor")
    parser.add_argument("--times", type=int, default=2, help="how often each is run")
    parser.add_argument(
        "--again", type=pathlib.Path, help="only: a tree, and the same tree once more"
    )
    chosen = parser.parse_args()
    if chosen.again is not None:
        first, second = again(chosen.again)
        print(f"{first:8.2f} s  {chosen.again}, first run")
        print(f"{second:8.2f} s  second run: {first / second:.0f} times cheaper")
        return
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{n} {metadata.version(n)}" for n in ("tensorflow", "libcst")]
    print(", ".join(versions))
    for name, seconds in startup(5 * chosen.times).items():
        print(f"{seconds:8.2f} s  {name}")
    found = package(chosen.package, chosen.times)
    for name, seconds in found.items():
        print(f"{seconds:8.2f} s  {name}, {chosen.package}")
    print(f"{found['tf1to2'] / found['tf_upgrade_v2']:8.2f}    of the peer's time")


if __name__ == "__main__":
    main()
