"""A recording is of the text that was recorded."""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np
import pytest

from tests.programs.recordings import Recordings


@dataclasses.dataclass(frozen=True)
class _Program:
    name: str
    files: list[pathlib.Path]


def test_what_did_not_change_stays_and_what_did_is_told(tmp_path: pathlib.Path) -> None:
    programs = [_Program(name, [tmp_path / f"{name}.py"]) for name in ("one", "two")]
    for program in programs:
        program.files[0].write_text("1")
    recordings = Recordings(tmp_path, programs, "its.module")
    assert recordings.changed() == ["one", "two"]
    recordings.write({"one/a": np.array([1.0]), "two/a": np.array([2.0])})
    assert recordings.read() == {"one/a": 1.0, "two/a": 2.0}
    (tmp_path / "two.py").write_text("2")
    with pytest.raises(ValueError, match=r"\['two'\]; see its.module"):
        recordings.read()
    recordings.write({"two/b": np.array([3.0])})
    assert recordings.read() == {"one/a": 1.0, "two/b": 3.0}
