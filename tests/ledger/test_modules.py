"""Rows of whole modules: what stands, and what has the tests of a module run again.

A copy of the project has three test modules in place of its own. Each run is one of all
tests, as users start it.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.ledger import modules, rows, sample

ROOT = pathlib.Path(__file__).parents[2]
LEDGER = sorted(pathlib.Path(__file__).parent.glob("*.py"))
# What a run of the copy loads besides.
TOGETHER = ("tests/__init__.py", "tests/conftest.py", "tests/starters.py")
pytestmark = pytest.mark.rests_on(*LEDGER, *(ROOT / name for name in TOGETHER))
READS = "tests/texts/test_reads.py"
# A proof, a test that reads, and one that starts a process of which nobody knows what it reads.
MIXED = "tests/texts/test_mixed.py"
PROOF = f"{MIXED}::test_proof"
STARTS = "tests/texts/test_starts.py"
BEFORE = "tests/texts/test_before.py"
# It starts processes by itself, and which files they read is known.
UNTOLD = "tests/texts/test_untold.py"
FILES = {
    "tests/texts/__init__.py": "",
    "tests/texts/helper.py": (
        "import functools\n"
        "import pathlib\n"
        "HERE = pathlib.Path(__file__).parent\n"
        "@functools.cache\n"
        "def read_data():\n"
        "    return (HERE / 'data.txt').read_text()\n"
        "def count_programs():\n"
        "    return len(list((HERE / 'programs').iterdir()))\n"
    ),
    "tests/texts/data.txt": "import tensorflow as tf\nx = tf.to_float(1)\n",
    "tests/texts/programs/one.txt": "",
    # Imported by two modules: what it opens is opened for the first of them.
    "tests/texts/cases.py": (
        "import pathlib\n"
        "CASES = (pathlib.Path(__file__).parent / 'cases.txt').read_text().split()\n"
    ),
    "tests/texts/cases.txt": "one two\n",
    # It reads first what the other module reads, too.
    BEFORE: (
        "from tests.texts import cases, helper\n"
        "def test_data():\n"
        "    assert helper.read_data()\n"
    ),
    READS: (
        "from migrate.compiler import migrate_text\n"
        "from tests.texts import helper\n"
        "def test_text():\n"
        "    assert 'tf.cast' in migrate_text(helper.read_data()).text\n"
        "def test_programs():\n"
        "    assert helper.count_programs() < 3\n"
    ),
    MIXED: (
        "import pathlib, subprocess, sys\n"
        "from reference import processes\n"
        "from tests.texts import cases\n"
        "HERE = pathlib.Path(__file__).parent\n"
        "def test_proof():\n"
        "    done = processes.run_program([sys.executable, HERE / 'program.py'])\n"
        "    assert done.stdout == '1\\n'\n"
        "def test_data():\n"
        "    assert (HERE / 'data.txt').read_text()\n"
        "def test_process():\n"
        "    subprocess.run([sys.executable, '-m', 'site'], check=True)\n"
    ),
    "tests/texts/program.py": "print(1)\n",
    UNTOLD: (
        "import pathlib, subprocess, sys\n"
        "HERE = pathlib.Path(__file__).parent\n"
        "def test_script():\n"
        "    subprocess.run([sys.executable, HERE / 'script.py'], check=True)\n"
        "def test_code():\n"
        "    code = 'import tests.texts.of_code'\n"
        "    subprocess.run([sys.executable, '-c', code], check=True)\n"
    ),
    "tests/texts/script.py": "import of_script\n",
    "tests/texts/of_script.py": "ONE = 1\n",
    "tests/texts/of_code.py": "ONE = 1\n",
    STARTS: (
        "import subprocess, sys\n"
        "def test_process():\n"
        "    subprocess.run([sys.executable, '-m', 'site'], check=True)\n"
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The project with the three modules, after a first run of them."""
    root = tmp_path_factory.mktemp("project")
    ignored = shutil.ignore_patterns("__pycache__", "test_*.py", "proofs", "recorded")
    for name in ("migrate", "reference", "tests/ledger"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    for name in ("pyproject.toml", *TOGETHER):
        shutil.copy(ROOT / name, root / name)
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    code, said = _run(root, "-n", "2")
    assert code == 0 and "9 passed" in said, said
    return root


@pytest.fixture
def copy(project: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(shutil.copytree(project, tmp_path / "project"))


def _run(copy: pathlib.Path, *options: str, **environment: str) -> tuple[int, str]:
    """The exit code of a run, and what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options],
        cwd=copy,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "= proofs =" in done.stdout, done.stdout + done.stderr
    return done.returncode, done.stdout


def _modules(copy: pathlib.Path) -> dict[str, rows.Row]:
    found, wrong = rows.read(copy / "tests/ledger/proofs")
    assert not wrong
    return {name: row for name, row in found.items() if row.kind == rows.MODULES}


def _tests_run(said: str) -> int:
    """Counts the tests that ran."""
    return int(re.findall(r"(\d+) passed", said)[-1])


def _change(name: str, old: str, new: str) -> Callable[[pathlib.Path], None]:
    def change(copy: pathlib.Path) -> None:
        text = (copy / name).read_text()
        assert old in text
        (copy / name).write_text(text.replace(old, new, 1))

    return change


def _add_program(copy: pathlib.Path) -> None:
    (copy / "tests/texts/programs/two.txt").write_text("")


def _edit_row(copy: pathlib.Path, name: str = READS) -> None:
    row = rows.read(copy / "tests/ledger/proofs")[0][name]
    edited = row.line().replace(f" | {row.date} | ", " | 2020-01-01 | ", 1)
    path = copy / f"tests/ledger/proofs/{row.kind}.txt"
    path.write_text(path.read_text().replace(row.line(), edited))


def _edit_proof(copy: pathlib.Path) -> None:
    _edit_row(copy, PROOF)


def test_a_module_that_only_reads_gets_a_row(copy: pathlib.Path) -> None:
    found = _modules(copy)
    assert set(found) == {READS, MIXED, BEFORE, UNTOLD}
    assert not found[UNTOLD].difference
    assert found[READS].reads == ("tests/texts/data.txt", "tests/texts/programs")
    assert not found[READS].difference
    assert set(found[MIXED].reads) >= {"tests/texts/data.txt", "tests/texts/program.py"}
    assert found[MIXED].difference == modules.short(f"{MIXED}::test_process")


def test_it_stands_and_is_deselected(copy: pathlib.Path) -> None:
    before = _modules(copy)
    drawn = sample.draw(rows.read(copy / "tests/ledger/proofs")[0].values(), "")
    code, said = _run(copy, "-n", "0", "-vv")
    assert code == 0 and "stand with their module" in said, said
    run = set(re.findall(r"(\S+) PASSED", said))
    expected = {f"{STARTS}::test_process", f"{MIXED}::test_process", PROOF}
    assert PROOF in drawn and run >= expected, said  # The only proof is always drawn.
    left_out = {f"{m}::" for m in before if m not in drawn}
    assert left_out and not {t for t in run - expected if t.startswith(tuple(left_out))}
    assert _modules(copy) == before
    assert PROOF in rows.read(copy / "tests/ledger/proofs")[0]


@pytest.mark.parametrize("option", ["--everything", READS])
def test_who_asks_for_tests_gets_them_run(option: str, copy: pathlib.Path) -> None:
    _, said = _run(copy, "-n", "0", option)
    assert "deselected" not in said and _tests_run(said) in (2, 9), said


@pytest.mark.parametrize(
    "change",
    [
        _change("migrate/support/plain_session.py", "\n\n", "\n\n# changed\n"),
        _change("migrate/tables/symbols.py", "\n\n", "\n\n# changed\n"),
        _change("tests/texts/helper.py", "HERE = ", "HERE  = "),
        _change("tests/texts/data.txt", "(1)", "(2)"),
        _change(READS, "< 3", "< 4"),
        _change("tests/conftest.py", '"""Provides', '"""Gives'),
        _add_program,
        _edit_row,
    ],
    ids=["support", "table", "helper", "data", "test", "conftest", "listing", "row"],
)
def test_a_change_has_the_module_run(
    change: Callable[[pathlib.Path], None], copy: pathlib.Path
) -> None:
    before = _modules(copy)[READS]
    change(copy)
    code, said = _run(copy, "-n", "0", "-vv")
    assert code == 0 and f"{READS}::test_text PASSED" in said, said
    after = _modules(copy)[READS]
    assert (after.key == before.key) is (change is _edit_row)


def test_what_is_opened_at_import_counts_for_those_who_import_it(
    copy: pathlib.Path,
) -> None:
    before = _modules(copy)
    _change("tests/texts/cases.txt", "two", "three")(copy)
    code, said = _run(copy, "-n", "0")
    after = _modules(copy)
    assert code == 0 and set(after) == set(before), said
    assert {n for n in after if after[n].key != before[n].key} == {BEFORE, MIXED}


@pytest.mark.parametrize(
    "change",
    [
        _change("tests/texts/program.py", "print(1)", "print(2 - 1)"),
        _change("reference/processes.py", "\n\n", "\n\n# changed\n"),
        _edit_proof,
    ],
    ids=["program", "starter", "row"],
)
def test_a_change_has_the_module_of_a_proof_run(
    change: Callable[[pathlib.Path], None], copy: pathlib.Path
) -> None:
    change(copy)
    code, said = _run(copy, "-n", "0", "-vv")
    assert code == 0 and f"{MIXED}::test_data PASSED" in said, said
    assert (
        f"{PROOF} PASSED" in said
        and PROOF in rows.read(copy / "tests/ledger/proofs")[0]
    )


@pytest.mark.parametrize("name", ["script.py", "of_script.py", "of_code.py"])
def test_a_file_that_an_untold_process_reads_has_it_run(
    name: str, copy: pathlib.Path
) -> None:
    (copy / "tests/texts" / name).open("a").write("TWO = 2\n")
    code, said = _run(copy, "-n", "0", "-vv")
    assert code == 0 and f"{UNTOLD}::test_script PASSED" in said, said


def test_another_environment_has_it_run(copy: pathlib.Path) -> None:
    code, said = _run(copy, "-n", "0", "-vv", TF_NUM_INTRAOP_THREADS="1")
    assert code == 0 and f"{MIXED}::test_data PASSED" in said, said


def test_a_module_that_fails_has_no_row(copy: pathlib.Path) -> None:
    _change(READS, "< 3", "< 1")(copy)
    code, _ = _run(copy, "-n", "0")
    assert code == 1 and READS not in _modules(copy)
