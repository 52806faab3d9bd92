"""Runs programs one after another in one process, and reads the losses that they log."""

from __future__ import annotations

import pathlib
import sys

from migrate.beside import files as beside
from reference import processes, runner

RUN_ALL = pathlib.Path(__file__).parents[2] / "programs" / "alone" / "run_all.py"


def _write(programs: dict[str, str], where: pathlib.Path) -> list[pathlib.Path]:
    where.mkdir()
    paths = []
    for name, text in programs.items():
        paths.append(where / f"{name.replace(' ', '_')}.py".replace("'", ""))
        paths[-1].write_text(text)
    return paths


def run_together(
    python: str, programs: dict[str, str], where: pathlib.Path
) -> dict[str, list[float]]:
    """Runs programs in one process, and returns their losses."""
    paths, out = _write(programs, where), where / "out"
    beside.write(where, "\n".join(programs.values()))
    out.mkdir()
    processes.run_tasks(
        python,
        RUN_ALL,
        [],
        out,
        ps=0,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [str(out), *map(str, paths)],
        preloaded=True,
    )
    found = {}
    for name, path in zip(programs, paths):
        failure = out / path.stem / "failure"
        assert not failure.exists(), failure.read_text()
        lines = (out / path.stem / "loss.0").read_text().splitlines()
        found[name] = [float(line.split()[1]) for line in lines]
    return found


def print_both(tf1: str, old: str, new: str, where: pathlib.Path) -> tuple[str, str]:
    """Runs a program and its migration, and returns what each prints.

    Args:
      tf1: the Python of TensorFlow 1.15.5.
      where: the directory "0" in it is the program's, and "1" the migration's.
    """
    printed = []
    for python, text in ((tf1, old), (sys.executable, new)):
        directory = where / str(len(printed))
        directory.mkdir()
        (directory / "program.py").write_text(text, "utf-8")
        if python == sys.executable:
            beside.write(directory, text)
        done = processes.run_program(
            [python, "program.py"],
            directory=directory,
            environment=runner.ENVIRONMENT,
        )
        printed.append(done.stdout)
    return printed[0], printed[1]
