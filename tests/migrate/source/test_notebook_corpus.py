"""Awkward notebooks, through the real compiler and the command: what changes, what not.

The files in `notebooks/` are as different tools write them: Colab's key order and forms,
nbformat 3, CRLF and tabs, one line of escapes, magics around and within the program.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import shutil
import subprocess
import sys

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from migrate.source import notebook, python, spans

CORPUS = pathlib.Path(__file__).parent / "notebooks"
ROOT = pathlib.Path(__file__).parents[3]


@dataclasses.dataclass(frozen=True)
class Expected:
    """The expected migration of a notebook.

    Attributes:
      changed: numbers of the cells that change, as a reader counts them (from 1).
      joined: those whose code is in another cell afterwards.
      refused: codes.
      holds: for some cells, text that must be in them afterwards.
    """

    changed: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()
    refused: tuple[str, ...] = ()
    holds: tuple[tuple[int, str], ...] = ()


_SESSION = "    with training_session.MonitoredTrainingSession("
EXPECTED = {
    "colab": Expected(
        (2, 3, 4, 5, 6, 7),
        (7,),
        holds=(
            (2, '  %pip install -q "tensorflow>=2.15,<2.22"'),
            (3, "'gast==0.2.2'"),
            (5, "# 模型"),
            (6, "  %tensorboard --logdir logs\n"),
        ),
    ),
    "magics": Expected(
        (2, 3, 6, 7, 8, 9),
        (8, 9),
        holds=(
            (2, "%config InlineBackend.figure_format = 'retina'\n"),
            (4, "files = !ls\nhere = %pwd"),
            (7, "%%time\ndef run_worker(task_index):\n    tf.train.Server?\n"),
            (7, f"    ??cluster\n{_SESSION}"),
        ),
    ),
    "one_line": Expected((2,), holds=((2, "# é \u2028 </script>\nb = 'x/y'"),)),
    "crlf_tabs": Expected((4,), holds=((4, "y = tf.math.log(\n    3.)\n\n"),)),
    "nbformat3": Expected(
        (2, 3, 4, 5, 6),
        (6,),
        holds=((2, "%pylab inline\nfrom __future__ import print_function\n"),),
    ),
    "refused": Expected(
        (1, 3),
        refused=("E007", "N100", "S101"),
        holds=(
            (1, "E007 TensorFlow 1 in a magic"),
            (3, "# TODO(tf1to2): S101 the program does not open the session by"),
        ),
    ),
    "writes_a_file": Expected(
        (1, 2),
        holds=((2, "%%writefile train.py\nimport numpy as np\n"), (2, _SESSION)),
    ),
    "spans_cells": Expected(
        (1, 2, 3, 4, 6, 7, 8, 9, 10),
        (7, 8, 9, 10),
        holds=(
            (2, "%%capture log\nimport json, os\n"),
            (6, "    get_ipython().run_cell_magic('bash', '-s 1', 'echo $1')\n"),
        ),
    ),
    "julia": Expected(),
    "tensorflow_in_words": Expected(),
}


def migrated(name: str) -> tuple[bytes, FileResult]:
    path = CORPUS / f"{name}.ipynb"
    data = path.read_bytes()
    return data, migrate_bytes(path, data, Options())


def read(data: bytes) -> tuple[str, dict[int, notebook.Cell]]:
    text = python.decode(data).text
    return text, {cell.index + 1: cell for cell in notebook.read(text).cells}


def test_every_notebook_has_an_expectation() -> None:
    assert {path.stem for path in CORPUS.glob("*.ipynb")} == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_what_changes_and_nothing_else(name: str) -> None:
    expected = EXPECTED[name]
    data, result = migrated(name)
    refused = {f.code for f in result.findings if f.outcome is Outcome.REFUSED}
    assert refused == set(expected.refused) and not result.failed
    assert result.changed is bool(expected.changed)
    joined = [f.cell + 1 for f in result.findings if f.code == "S130"]
    assert tuple(joined) == expected.joined
    if not result.changed:
        return
    (old, before), (new, after) = read(data), read(result.new)
    changed = [n for n in before if before[n].source != after[n].source]
    assert tuple(changed) == expected.changed
    for number, text in expected.holds:
        assert text in after[number].source
    assert gaps(old, before, changed) == gaps(new, after, changed)
    for number in changed:
        assert_only_code_changed(old, before[number].place, new, after[number].place)


def gaps(text: str, cells: dict[int, notebook.Cell], changed: list[int]) -> list[str]:
    """The file's text but for the changed cells: to be the same to the last byte."""
    edges = [0]
    for number in changed:
        edges += [cells[number].place.start, cells[number].place.end]
    edges.append(len(text))
    return [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]


def assert_only_code_changed(
    old: str, before: spans.Span, new: str, after: spans.Span
) -> None:
    """Checks that a changed cell keeps its keys, their order and the metadata."""
    assert list(before.value) == list(after.value)
    for key, value in before.value.items():
        text = new[after.value[key].start : after.value[key].end]
        if key == "outputs":
            assert text == "[]"
        elif key in ("execution_count", "prompt_number"):
            assert text == "null"
        elif key in ("source", "input"):
            # A string stays one, and an array of lines.
            assert isinstance(value.value, str) == isinstance(
                after.value[key].value, str
            )
        else:
            assert text == old[value.start : value.end]


# U+2028 is no end of a line to Python; IPython wonders about it.
@pytest.mark.filterwarnings("ignore:.make_tokens_by_line")
@pytest.mark.parametrize("name", EXPECTED)
def test_ipython_reads_what_is_written(name: str) -> None:
    _, result = migrated(name)
    if not result.changed:
        return
    for cell in read(result.new)[1].values():
        ast.parse(TransformerManager().transform_cell(cell.source + "\n"))


@pytest.mark.parametrize("name", EXPECTED)
def test_migrating_again_changes_nothing(name: str) -> None:
    _, result = migrated(name)
    again = migrate_bytes(result.path, result.new or b"", Options())
    assert not again.changed


# -- the command ----------------------------------------------------------------------


def run(*arguments: object, cwd: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "migrate", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        timeout=120,
    )


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in ("colab", "one_line", "refused", "julia"):
        (tmp_path / "sub").mkdir(exist_ok=True)
        shutil.copy(CORPUS / f"{name}.ipynb", tmp_path / "sub" / f"{name}.ipynb")
    return tmp_path


def test_the_diff_is_by_cells(tree: pathlib.Path) -> None:
    done = run("migrate", "sub", "--diff", cwd=tree)
    headers = [
        line.removeprefix("--- ")
        for line in done.stdout.splitlines()
        if line.startswith("--- ") and "ipynb" in line
    ]
    assert headers == [
        f"sub/{name}.ipynb, cell {number}"
        for name in ("colab", "one_line")  # What is refused stays as it is.
        for number in EXPECTED[name].changed
    ]
    assert "-!pip install -q tensorflow-gpu==1.15" in done.stdout
    assert (
        "\n-a = tf.log(2.)" in done.stdout and "\n+a = tf.math.log(2.)" in done.stdout
    )
    assert done.stdout.count("(outputs cleared)") == 1
    assert '\\n"' not in done.stdout  # No JSON.
    assert done.returncode == 1


def test_a_tree_is_checked_and_written(tree: pathlib.Path) -> None:
    done = run("check", ".", cwd=tree)
    assert done.returncode == 1
    assert "sub/refused.ipynb:cell 3:1:14: S101" in done.stdout
    assert "sub/refused.ipynb:cell 1:1:1: E007" in done.stdout
    assert run("migrate", ".", "--write", cwd=tree).returncode == 1
    for name in ("colab", "one_line"):
        written = (tree / "sub" / f"{name}.ipynb").read_bytes()
        assert written == migrated(name)[1].new
    assert (tree / "sub/refused.ipynb").read_bytes() == migrated("refused")[0]
    assert (tree / "sub/julia.ipynb").read_bytes() == migrated("julia")[0]
    assert (tree / "sub/training_session/session.py").exists()
    (tree / "sub/refused.ipynb").unlink()
    assert run("check", ".", cwd=tree).returncode == 0
