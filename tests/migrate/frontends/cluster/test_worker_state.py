"""Checks refusals of state that the loops of several workers may not share."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

PROGRAM = (
    pathlib.Path(__file__).parents[3] / "programs" / "clustered" / "workers_own.py"
).read_text()
BEFORE_MAIN = "def main(_):"
IN_LOOP = "            rows = drifted(rows)\n"


def migrated(*changes: tuple[str, str]) -> Migration:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text)


def refusals(migration: Migration) -> set[str]:
    return {
        f.code
        for f in migration.findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }


def test_the_findings_name_what_is_each_workers_own() -> None:
    found = {f.symbol for f in migrated().findings if f.code == "C106"}
    assert found >= {"noise", "order", "seen", "numbers", "reader", "FLAGS.task_index"}


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        ("count = 0\ndef counted():\n    global count\n    count += 1\n", "counted()"),
        ("first, last = [], []\ndef kept(x):\n    last.append(x)\n", "kept(i)"),
        (
            "class Best(object):\n    values = {}\n    def add(self, i):\n"
            "        self.values['i'] = i\nBEST = Best()\n",
            "BEST.add(i)",
        ),
        ("kept = []\nkept.append(0)\ndef keep(x):\n    kept.append(x)\n", "keep(i)"),
    ],
    ids=["global", "unpacked", "class", "changed-at-start"],
)
def test_what_cannot_be_made_once_per_worker_is_refused(helper: str, call: str) -> None:
    migration = migrated(
        (BEFORE_MAIN, f"{helper}\n\n{BEFORE_MAIN}"),
        (IN_LOOP, f"{IN_LOOP}            {call}\n"),
    )
    assert refusals(migration) == {"C109"}


def test_a_reader_that_also_built_the_graph_is_refused() -> None:
    migration = migrated(
        ("initializer=tf.zeros_initializer()", "initializer=noise.randn(3, 1)"),
        ('"w", [3, 1], ', '"w", '),
    )
    assert refusals(migration) == {"C109"}


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        ("TABLE = [1, 2]\ndef get(i):\n    return TABLE[i % 2]\n", "get(i)"),
        ("ROWS = np.eye(3)\ndef get(i):\n    return ROWS.mean()\n", "get(i)"),
        (
            "class Options(object):\n    size = 3\n    def area(self):\n"
            "        return self.size ** 2\nOPTIONS = Options()\n"
            "def get(i):\n    return OPTIONS.area()\n",
            "get(i)",
        ),
        ("import logging\nlogger = logging.getLogger()\n", 'logger.info("%d", i)'),
    ],
    ids=["list", "array", "object", "logger"],
)
def test_what_no_loop_changes_stays_as_it_is(helper: str, call: str) -> None:
    migration = migrated(
        (BEFORE_MAIN, f"{helper}\n\n{BEFORE_MAIN}"),
        (IN_LOOP, f"{IN_LOOP}            {call}\n"),
    )
    assert not refusals(migration)
    first = helper.split(" = ")[0].split("\n")[-1]
    assert f"{first} = training_session.per_worker" not in migration.text
