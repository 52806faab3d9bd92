"""Builds `notebooks/*.ipynb` from `notebooks/src/*.py`.

A source is Python in the percent format: `# %%` begins a cell, `# %% [markdown]` a text.
NAME.py is a story; NAME_tf1.py is the TensorFlow 1 program it is about. Of the latter come
NAME_tf1.ipynb and, by the tool, NAME_tf2.ipynb. Stories are executed, with their outputs
kept; the pairs are run by them, in every task of a cluster.
"""

from __future__ import annotations

import os
import pathlib

import jupytext
import nbclient
import nbformat

from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes

ROOT = pathlib.Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# A cell tagged so says what differs between machines.
VARIES = "varies"
TIMEOUT = 600  # Seconds for one cell, on a loaded machine.


def stories() -> list[str]:
    """The names, of the stories and of the pairs they are about."""
    names = sorted(path.stem for path in (NOTEBOOKS / "src").glob("*.py"))
    return [name for name in names if not name.endswith("_tf1")]


def source(name: str) -> pathlib.Path:
    return NOTEBOOKS / "src" / f"{name}.py"


def notebook(name: str) -> nbformat.NotebookNode:
    """The notebook of a source, without outputs; the same at every call."""
    made = jupytext.read(source(name), fmt="py:percent")
    cells = []
    for number, cell in enumerate(made.cells, 1):
        if cell.cell_type == "code":
            new = nbformat.v4.new_code_cell(cell.source)
        else:
            new = nbformat.v4.new_markdown_cell(cell.source)
        new.id = f"{cell.cell_type}-{number}"
        if "tags" in cell.metadata:
            new.metadata.tags = cell.metadata.tags
        cells.append(new)
    return nbformat.v4.new_notebook(cells=cells, metadata=_METADATA)


def text(made: nbformat.NotebookNode) -> str:
    """As Jupyter saves it."""
    return nbformat.writes(made) + "\n"


# Its cluster has an evaluator, which `Model.fit` does not need.
OPTIONS = {"estimator": Options(estimators="estimator")}


def migrated(name: str, old: bytes) -> FileResult:
    """Migrates NAME_tf1.ipynb.

    Raises:
      ValueError: the tool refuses something in it.
    """
    result = migrate_bytes(
        NOTEBOOKS / f"{name}_tf1.ipynb", old, OPTIONS.get(name, Options())
    )
    left = (Outcome.REFUSED, Outcome.FAILED)
    refused = [f for f in result.findings if f.outcome in left]
    if refused or not result.changed:
        raise ValueError(f"{name}_tf1 is not migrated: {refused}")
    return result


def pair(name: str) -> tuple[bytes, bytes]:
    """NAME_tf1.ipynb and NAME_tf2.ipynb."""
    old = text(notebook(f"{name}_tf1")).encode()
    return old, migrated(name, old).new


def executed(name: str) -> nbformat.NotebookNode:
    """The story with its outputs, from a clean kernel.

    Raises:
      nbclient.exceptions.CellExecutionError: a cell raised.
    """
    made = notebook(name)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    client = nbclient.NotebookClient(
        made,
        timeout=TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.execute(env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": ""})
    return made


def write(name: str) -> None:
    """Writes the three notebooks of a story."""
    old, new = pair(name)
    (NOTEBOOKS / f"{name}_tf1.ipynb").write_bytes(old)
    (NOTEBOOKS / f"{name}_tf2.ipynb").write_bytes(new)
    (NOTEBOOKS / f"{name}.ipynb").write_text(text(executed(name)))


def told(made: nbformat.NotebookNode) -> list[tuple[str, list[str]]]:
    """Lists each cell's source and outputs: their text, or that one is a picture."""
    found = []
    for cell in made.cells:
        outputs = []
        varies = VARIES in cell.metadata.get("tags", ())
        for output in cell.get("outputs", ()) if not varies else ():
            data = output.get("data", {})
            if "image/png" in data:
                outputs.append("a picture")
            else:
                outputs.append(
                    output.get("text")
                    or data.get("text/markdown")
                    or output.output_type
                )
        found.append((cell.source, outputs))
    return found
