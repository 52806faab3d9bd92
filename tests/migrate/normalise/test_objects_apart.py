"""Objects that hold a session are taken apart only if each use of them is known."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text

PROGRAMS = pathlib.Path(__file__).parents[2] / "programs" / "alone"
AGENT = (PROGRAMS / "agent_in_a_function.py").read_text()


def is_refused(text: str) -> bool:
    return any(f.blocks for f in migrate_text(text).findings)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.counter = 0\n", "self.counter = None\n"),
        ("self.counter = 0\n", "self.counter = len(self.costs)\n"),
        ("self.learned = 0\n", "self.learned = self.counter = 0\n"),
        ("    walk(np.", "    agent.counter = None\n    walk(np."),
        ("hasattr(self, 'counter')", "hasattr(self, name)"),
        ("    walk(np.", "    print(agent)\n    walk(np."),
        ("import sys\n", "import sys\nfrom os import path as json\nprint(json)\n"),
    ],
    ids=[
        "none",
        "a call",
        "made at once",
        "set outside",
        "by a name",
        "shown",
        "another import",
    ],
)
def test_what_is_not_known_stays_an_object(old: str, new: str) -> None:
    assert AGENT.count(old) == 1
    assert is_refused(AGENT.replace(old, new))


def test_an_attribute_that_is_not_there_yet_is_none() -> None:
    done = migrate_text(AGENT).text
    assert not is_refused(AGENT)
    assert done.index("counter = None") < done.index("if counter is None:")
