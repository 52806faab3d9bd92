"""Notebooks in Python 2 come to Python 3, kernel included, are migrated, and run."""

from __future__ import annotations

import pathlib

import nbformat
from nbclient import NotebookClient

from migrate.beside import files as beside
from migrate.file_result import FileResult
from migrate.options import Options
from migrate.pipeline import migrate_bytes

CELLS = (
    "%matplotlib inline\nimport numpy as np\nimport tensorflow as tf",
    "print 'halves:', 7 / 2, 7 / 2.0\nfor i in xrange(2):\n    print i,",
    "x = tf.placeholder(tf.float32, [None])\n"
    "y = tf.reduce_sum(tf.log(x))\n"
    "with tf.Session() as sess:\n"
    "    print sess.run(y, {x: np.ones(3, np.float32)})\n",
)


def _notebook() -> bytes:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata = {
        "kernelspec": {
            "name": "python2",
            "display_name": "Python 2",
            "language": "python",
        },
        "language_info": {
            "name": "python",
            "version": "2.7.13",
            "codemirror_mode": {"name": "ipython", "version": 2},
        },
    }
    return (nbformat.writes(made) + "\n").encode()


def _migrated(path: pathlib.Path) -> FileResult:
    return migrate_bytes(path, _notebook(), Options(python2=True))


def test_it_runs_under_python_3(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.ipynb"
    result = _migrated(path)
    assert not result.failed and result.python3 not in (result.old, result.new)
    made = nbformat.reads(result.new.decode(), as_version=4)
    assert made.metadata.kernelspec.name == "python3"
    assert made.metadata.language_info.codemirror_mode.version == 3
    assert made.cells[0].source.startswith("%matplotlib inline\n")
    made.cells[0].source = made.cells[0].source.partition("\n")[2]  # No plots.
    beside.write(tmp_path, *(cell.source for cell in made.cells))
    done = NotebookClient(made, timeout=200, resources={"metadata": {"path": tmp_path}})
    printed = "".join(
        output.text
        for cell in done.execute().cells
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stdout"
    )
    assert printed == "halves: 3 3.5\n0 1 0.0\n"  # As Python 2 printed it.


def test_findings_are_at_the_cells_own_lines(tmp_path: pathlib.Path) -> None:
    result = _migrated(tmp_path / "a.ipynb")
    told = {(f.cell, f.line) for f in result.findings if f.code == "E010"}
    assert told == {(0, 1), (1, 1), (1, 2), (1, 3), (2, 4)}
    assert (2, 2) in {(f.cell, f.line) for f in result.findings if f.code == "T102"}


def test_without_the_option_it_is_named(tmp_path: pathlib.Path) -> None:
    result = migrate_bytes(tmp_path / "a.ipynb", _notebook(), Options())
    (finding,) = result.findings
    assert finding.code == "E004" and finding.cell == 1
    assert "--python2" in finding.recipe
