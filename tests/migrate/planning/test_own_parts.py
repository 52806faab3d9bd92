"""A refused program's parts are told by the names that its own file has."""

from __future__ import annotations

import pathlib
import re

import pytest

from migrate.compiler import migrate_text
from migrate.outcomes import PART

PROGRAMS = pathlib.Path(__file__).parents[2] / "programs" / "clustered"


@pytest.mark.parametrize("name", ["supervised_loop", "supervised_services"])
def test_parts_of_a_refused_program_are_its_own(name: str) -> None:
    text = (PROGRAMS / f"{name}.py").read_text()
    assert not [f for f in migrate_text(text).findings if f.blocks]
    # The initialiser runs within the Supervisor's session, which is refused (D112).
    line = next(line for line in text.splitlines() if "managed_session(" in line)
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    again = f"{indent}sess.run(tf.global_variables_initializer())"
    text = text.replace(line, f"{line}\n{again}", 1)
    findings = migrate_text(text).findings
    assert "D112" in {f.code for f in findings}
    lines = text.splitlines()
    parts = [f for f in findings if f.code == PART]
    assert "tf.train.Supervisor" in {f.symbol for f in parts}
    for part in parts:
        assert re.search(rf"\b{part.symbol.split('.')[-1]}\b", lines[part.line - 1])
