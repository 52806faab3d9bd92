"""Checks printed lines and files: differences are seen, but not those of times."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

from reference.verify import files, outputs
from reference.verify.records import Record
from reference.verify.rows import Records


def _of(*lines: str) -> outputs.Groups:
    return outputs.group_lines(enumerate(lines))


def test_a_printed_number_that_differs_is_wrong() -> None:
    old = _of("step 0, loss 2.30", "step 10, loss 1.10")
    rows, lost, added = outputs.compare_groups("printed", "", old, old, {}, old)
    assert [(row.name, row.wrong, row.steps) for row in rows] == [
        ("step #, loss #", False, 4)
    ]
    assert (lost, added) == ([], [])
    new = _of("step 0, loss 2.30", "step 10, loss 1.30")
    (row,), _, _ = outputs.compare_groups("printed", "", old, old, {}, new)
    assert row.first == 1
    assert row.what == "'step 10, loss 1.30', expected 'step 10, loss 1.10'"
    # A whole number has no rounding.
    new = _of("step 0, loss 2.30", "step 11, loss 1.10")
    (row,), _, _ = outputs.compare_groups("printed", "", old, old, {}, new)
    assert row.wrong


def test_the_last_digit_printed_may_be_rounded_otherwise() -> None:
    old, new = _of("accuracy = 0.915"), _of("accuracy = 0.916")
    (row,), _, _ = outputs.compare_groups("printed", "", old, old, {}, new)
    assert not row.wrong


@pytest.mark.parametrize(
    "line",
    ["took %s s", "%s steps/sec", "Elapsed time: %s", "AvgTime: %sms", "%ss left"],
)
def test_what_tells_of_time_is_not_compared(line: str) -> None:
    old, new = _of(line % 1.5), _of(line % 9.5)
    assert outputs.compare_groups("printed", "", old, old, {}, new) == ([], [], [])


def test_a_number_has_its_unit_and_a_name_its_number() -> None:
    (words,) = _of("layer3 of 3x3, 12.5k rows, 2.5sec/step, model_1")
    assert words == "layer3 of 3x3, #k rows, #sec/step, model_1"


def test_what_is_another_in_each_run_is_not_compared() -> None:
    old, again, new = _of("port 4000, loss 0.5"), _of("port 4001, loss 0.5"), None
    new = _of("port 5000, loss 0.5")
    (row,), _, _ = outputs.compare_groups("printed", "", old, again, {}, new)
    assert (row.wrong, row.steps) == (False, 1)
    (row,), _, _ = outputs.compare_groups(
        "printed", "", old, again, {}, _of("port 5000, loss 0.7")
    )
    assert row.wrong


def test_lines_of_one_program_are_told_and_decide_nothing() -> None:
    old, new = _of("begin", "loss 0.5", "loss 0.4"), _of("loss 0.5", "done")
    rows, lost, added = outputs.compare_groups("printed", "", old, old, {}, new)
    assert not any(row.wrong for row in rows)
    assert len(lost) == 2 and "'begin' is not in" in lost[0]
    assert added == ["printed: 'done'"]


def _ran(directory: pathlib.Path, loss: float, **text: str) -> Record:
    """A run that has written an array, texts, and what only TensorFlow 1 writes."""
    program, elsewhere = directory / "program", directory / "elsewhere"
    out = directory / "out" / "worker-0"
    for path in (program, elsewhere, out):
        path.mkdir(parents=True)
    (program / "train.py").write_text("")
    before = files.look(program)
    np.savez(program / "losses.npz", loss=np.array([1.0, loss]))
    (program / f"events.out.tfevents.{directory.name}").write_text("")
    for name, content in text.items():
        (program / f"{name}.csv").write_text(content)
    files.keep(directory, before, {"": program, "/": elsewhere})
    (out / "events.jsonl").write_text(
        json.dumps({"kind": "end", "reason": "ended", "worker": 0}) + "\n"
    )
    return Record(out, directory / "log")


def test_files_are_compared(tmp_path: pathlib.Path) -> None:
    first = _ran(tmp_path / "first", 0.5, results="1,0.25\n")
    second = _ran(tmp_path / "second", 0.5, results="1,0.25\n")
    same = _ran(tmp_path / "same", 0.5, results="1,0.25\n")
    rows, lost, added = files.compare_files(Records(first, second, same))
    assert {row.name for row in rows} == {"losses.npz loss", "results.csv: #,#"}
    assert not any(row.wrong for row in rows) and (lost, added) == ([], [])

    other = _ran(tmp_path / "other", 0.6, results="1,0.75\n")
    rows, _, _ = files.compare_files(Records(first, second, other))
    assert all(row.wrong for row in rows)

    without = _ran(tmp_path / "without", 0.5, more="")
    rows, _, added = files.compare_files(Records(first, second, without))
    (wrong,) = [row for row in rows if row.wrong]
    assert (wrong.name, wrong.what) == (
        "results.csv",
        "the migrated program does not write it",
    )
    assert added == ["file more.csv"]
