"""A result that another run would change: a fault of the tool, unless the file stays as it was."""

from __future__ import annotations

import pathlib

import pytest

from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.pipeline import migrate_bytes

REFUSED = Finding(1, 1, "N150", Outcome.REFUSED, "tf.train.Server", "no program", "")


@pytest.mark.parametrize("refused", [False, True])
def test_a_refused_file_is_not_failed(refused: bool) -> None:
    def change(text: str, options: Options, filename: str) -> Migration:
        return Migration(f"{text}# Again.\n", (REFUSED,) if refused else (), ())

    data = b"import tensorflow as tf\ntf.train.Server({})\n"
    result = migrate_bytes(pathlib.Path("x.py"), data, Options(), change)
    assert not result.changed
    assert {f.code for f in result.findings} == ({"N150"} if refused else {"G009"})
