"""`--whole-modules` writes all of each module that a program imports."""

from __future__ import annotations

import pathlib

from click.testing import CliRunner

from migrate import emitted
from migrate.cli import main
from tests.migrate.beside.test_written import SAVES, SESSION


def test_modules_are_whole_and_stay_so(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SAVES)
    command = ["migrate", str(tmp_path), "--write", "--whole-modules"]
    assert CliRunner().invoke(main, command).exit_code == 0
    written = program.read_text()
    assert "training_session" in written
    names = [
        *emitted.list_files("training_session"),
        *emitted.list_files("plain_session"),
    ]
    for name in names:
        assert (tmp_path / name).read_bytes() == emitted.read_source(name)
    # A later run adds nothing, and takes nothing away.
    (tmp_path / "other.py").write_text(SESSION)
    assert (
        CliRunner().invoke(main, ["migrate", str(tmp_path), "--write"]).exit_code == 0
    )
    for name in names:
        assert (tmp_path / name).read_bytes() == emitted.read_source(name)
    assert program.read_text() == written
