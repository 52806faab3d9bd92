"""The page of programs is that of the table, and every program on it is run."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

from tests.programs.shapes import DISTRIBUTION, ESTIMATORS, PAGE, ROOT, Shown, pages

ROWS = (*DISTRIBUTION, *ESTIMATORS)
# Prints the tests that pytest finds and that nothing may skip.
_PLUGIN = """
import json


def pytest_collection_finish(session):
    found = [
        item.nodeid
        for item in session.items
        if not list(item.iter_markers("skip"))
        and not list(item.iter_markers("skipif"))
        and "tf1" not in item.fixturenames
    ]
    with open(session.config.rootpath / OUT, "w") as file:
        json.dump(found, file)
"""


def test_the_page_is_new() -> None:
    recipe, written = "python -m tests.programs.shapes", pages()
    assert set(written) == {PAGE, *PAGE.with_suffix("").glob("*.md")}, recipe
    for path, text in written.items():
        assert path.read_text("utf-8") == text, recipe


def test_there_are_as_many_as_were_asked_for() -> None:
    assert len({row.path for row in DISTRIBUTION}) == len(DISTRIBUTION) >= 20
    assert len({row.path for row in ESTIMATORS}) == len(ESTIMATORS) >= 15
    assert all((ROOT / row.path).is_file() for row in ROWS)


def _always_run(tests: set[str], directory: pathlib.Path) -> set[str]:
    """Which of these tests pytest finds, and runs on any machine."""
    out = directory / "found.json"
    plugin = directory / "finds_tests.py"
    plugin.write_text(_PLUGIN.replace("OUT", repr(str(out))))
    path = os.pathsep.join([str(directory), os.environ.get("PYTHONPATH", "")])
    files = sorted({test.partition("::")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0"]
    done = subprocess.run(
        [*command, "-p", "finds_tests", *files],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return tests & set(json.loads(out.read_text()))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    wrong = "tests/migrate/frontends/sessions/test_alone.py::test_equals_recorded_tf1[no_such_program]"
    tests = {row.test for row in ROWS} | {wrong}
    found = _always_run(tests, tmp_path_factory.mktemp("plugin"))
    assert wrong not in found
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.path)
def test_a_program_that_is_listed_is_run(row: Shown, run: set[str]) -> None:
    assert row.test in run
    # The test is of this program: its case has the name of the file, or its directory.
    path, case = pathlib.PurePath(row.path), row.test.partition("[")[2]
    assert case.startswith(
        (f"{path.stem}]", f"{path.parent.name}]", f"{path.parent.name}-")
    )
