"""Programs that write a line for each result: on TensorFlow 1.15.5, and in graph mode.

`homes/NAME.py` writes its lines to the file `loss` of a directory; `homes/NAME.txt` is what
it wrote under TensorFlow 1.15.5.
"""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import sys
import tempfile

import pytest

from migrate import emitted
from migrate.fallback.module import Part, bring_to_compat
from migrate.fallback.returned_modules import find_returned_modules
from migrate.options import Options
from reference import processes, runner
from tests.corpus import dependencies, packages

HERE = pathlib.Path(__file__).parent / "homes"
# A file that was written, a piece of it, and what stands there instead.
Fault = tuple[str, str, str]
Lines = list[tuple[str, list[float]]]


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A program.

    Attributes:
      name: its file's, without the suffix.
      tolerance: how far its numbers may be from those of TensorFlow 1.15.5.
      told: codes of the findings that tell of it, and hinder nothing.
      package: what the program imports in graph mode, beside TensorFlow.
    """

    name: str
    tolerance: float
    told: frozenset[str] = frozenset()
    package: str = ""

    @property
    def program(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"

    def run_in_graph_mode(self, directory: pathlib.Path, *faults: Fault) -> Lines:
        """Runs the program on TensorFlow 2.21, with faults planted."""
        text = self.program.read_text()
        part = Part(returned=find_returned_modules({self.program: text}))
        found = bring_to_compat(text, Options(), str(self.program), part)
        assert {f.code for f in found.findings} == self.told
        (directory / "program.py").write_text(found.text)
        emitted.write(found.support, directory)
        if self.package:
            _put_beside(self.package, directory)
        for name, old, new in faults:
            stands = (directory / name).read_text()
            assert stands.count(old) == 1, (name, old)
            (directory / name).write_text(stands.replace(old, new))
        return self._run(sys.executable, directory / "program.py", directory)

    def run_as_it_is(self, python: str, directory: pathlib.Path) -> Lines:
        return self._run(python, self.program, directory)

    def _run(
        self, python: str, program: pathlib.Path, directory: pathlib.Path
    ) -> Lines:
        command = [python, program, f"--dir={directory}"]
        processes.run_program(
            command, environment=runner.ENVIRONMENT, directory=directory
        )
        return _read_lines((directory / "loss").read_text())

    def assert_equal(self, found: Lines) -> None:
        expected = self._expected()
        assert [name for name, _ in found] == [name for name, _ in expected]
        for (name, one), (_, other) in zip(found, expected, strict=True):
            assert self._is_equal([one], [other]), name

    def is_as_recorded(self, found: Lines, name: str) -> bool:
        """Whether the lines of a name are those of TensorFlow 1.15.5."""
        expected = _take_numbers(self._expected(), name)
        assert expected, name
        return self._is_equal(_take_numbers(found, name), expected)

    def names(self) -> set[str]:
        return {name for name, _ in self._expected()}

    def _expected(self) -> Lines:
        return _read_lines(self.program.with_suffix(".txt").read_text())

    def _is_equal(self, found: list[list[float]], expected: list[list[float]]) -> bool:
        return len(found) == len(expected) and all(
            one == pytest.approx(other, rel=0, abs=self.tolerance)
            for one, other in zip(found, expected, strict=True)
        )


def _put_beside(name: str, directory: pathlib.Path) -> None:
    """Puts a package of the corpus, or what the corpus imports, beside a program."""
    wheel = next((p for p in packages.PACKAGES if p.name == name), None)
    with tempfile.TemporaryDirectory() as work:
        try:
            if wheel is None:
                found = dependencies.directory()
            else:
                found = packages.unpacked(wheel, pathlib.Path(work))
        except packages.Unavailable as error:
            pytest.skip(f"the package index does not give it: {error}")
        shutil.copytree(found / name, directory / name)
    packages.unpacked.cache_clear()


def _take_numbers(lines: Lines, name: str) -> list[list[float]]:
    return [numbers for line, numbers in lines if line == name]


def _read_lines(text: str) -> Lines:
    rows = [line.split() for line in text.splitlines()]
    return [(name, list(map(float, numbers))) for name, *numbers in rows]
