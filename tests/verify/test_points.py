"""Checks the comparison of one value of two programs at one step."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import numpy as np
import pytest

from reference.verify import notebooks
from reference.verify.points import compare_point
from reference.verify.records import Record
from reference.verify.rows import Records, Row
from reference.verify.series import Point
from reference.verify.tolerance import Allowed


@dataclasses.dataclass
class Runs:
    """Records of runs that have one value each."""

    directory: pathlib.Path

    def compare(
        self, first: Any, new: Any, second: Any = None, shifted: Any = None
    ) -> Row:
        """Compares a value that the runs have in these forms."""
        values = {"first": first, "new": new, "second": second, "shifted": shifted}
        told = {name: self._write(name, value) for name, value in values.items()}
        records = Records(
            *(Record(self.directory / n, self.directory) for n in ("first", "second")),
            *(Record(self.directory / n, self.directory) for n in ("new", "shifted")),
        )
        row = Row("fetch", "value")
        compare_point(
            row,
            records,
            Point(0, told["first"], "a.py:1"),
            Point(0, told["new"], "b.py:1"),
            told["second"],
            told["shifted"],
            Allowed(total=40.0),
        )
        return row

    def _write(self, name: str, value: Any) -> dict[str, Any]:
        array = np.asarray(0 if value is None else value)
        (self.directory / name).mkdir(exist_ok=True)
        (self.directory / name / "arrays.bin").write_bytes(array.tobytes())
        told = {"at": 0, "dtype": array.dtype.name, "shape": list(array.shape)}
        finite = bool(np.isfinite(array).all())
        return (
            told if value is None else {**told, "digest": str(value), "finite": finite}
        )


def test_a_count_that_races_is_not_compared_and_never_called_equal(
    tmp_path: pathlib.Path,
) -> None:
    """An exact value has no tolerance: 16 times a race of 1 would hide anything."""
    runs = Runs(tmp_path)
    apart = runs.compare(np.int64(20), np.int64(21))
    assert apart.wrong and apart.allowed == 0
    for race in ({"second": np.int64(21)}, {"shifted": np.int64(19)}):
        row = runs.compare(np.int64(20), np.int64(21), **race)
        assert (row.steps, row.beyond, row.wrong) == (0, 1, False)
        assert runs.compare(np.int64(20), np.int64(24), **race).wrong
    assert runs.compare(np.int64(20), np.int64(20)).steps == 1


def test_a_value_that_is_no_number_is_told_as_that(tmp_path: pathlib.Path) -> None:
    row = Runs(tmp_path).compare(np.float32(2.5), np.float32(np.nan))
    assert row.wrong
    assert row.what.startswith("nan, expected 2.5")
    assert "not both numbers" in row.what and "inf" not in row.what


CELLS = [
    ("markdown", "# A title"),
    ("code", "%matplotlib inline\nimport numpy as np"),
    ("code", "%%bash\nls"),
    ("code", "a = 1\nb = 2"),
]


@pytest.mark.parametrize(
    ("text", "cell", "line"), [("import numpy as np", 2, 2), ("b = 2", 4, 2)]
)
def test_a_notebooks_line_is_named_by_its_cell(
    tmp_path: pathlib.Path, text: str, cell: int, line: int
) -> None:
    path = tmp_path / "study.ipynb"
    cells = [{"cell_type": kind, "source": source} for kind, source in CELLS]
    path.write_text(json.dumps({"cells": cells}))
    number = notebooks.code_of(path).split("\n").index(text) + 1
    told = notebooks.name_cells(f"at study_ipynb.py:{number}; b.py:3", path)
    assert told == f"at study.ipynb, cell {cell}, line {line}; b.py:3"
    assert notebooks.name_cells("b.py:3", tmp_path / "b.py") == "b.py:3"
