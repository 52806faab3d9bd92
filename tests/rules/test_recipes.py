"""Who follows a refusal's recipe ends with a program that is migrated.

What is refusable and has no such pair is listed by

    python -m tests.rules.test_recipes
"""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.codes import CODES
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference.pages.cases import cases
from reference.processes import run_program
from tests.rules.followed import FOLLOWED

# Programs of TensorFlow 2: what the recipe makes of them has nothing left to migrate.
OF_TF2 = {"D110", "D137"}


def refused(text: str) -> set[str]:
    found = migrate_text(text).findings
    assert not [f for f in found if f.outcome is Outcome.FAILED]
    return {f.code for f in found if f.outcome is Outcome.REFUSED}


@pytest.mark.parametrize("code", FOLLOWED)
def test_the_recipe_leads_to_a_program_that_is_migrated(code: str) -> None:
    before, after = FOLLOWED[code]
    assert code[:4] in refused(before)
    assert not refused(after)
    assert (migrate_text(after).text == after) is (code in OF_TF2)


# Of the commonest in public code: what is written of the followed program runs.
RUN = ("S109", "L102", "E114")


def test_what_is_written_runs(tmp_path: pathlib.Path) -> None:
    after = {code: FOLLOWED[code][1] for code in RUN}
    written = {
        code: migrate_text(text.replace("/tmp/model", "model"))
        for code, text in after.items()
    }
    for code, migration in written.items():
        path = tmp_path / code / "main.py"
        path.parent.mkdir()
        path.write_text(migration.text, "utf-8")
        beside.write(path.parent, migration.text)
        run_program([sys.executable, path], directory=path.parent)


def refusable() -> set[str]:
    """Codes with which a case is refused."""
    return {
        name
        for name, case in cases().items()
        if any(f.outcome is Outcome.REFUSED for f in case.findings())
    }


def test_each_is_a_code() -> None:
    assert {name[:4] for name in FOLLOWED} <= set(CODES)


if __name__ == "__main__":
    known = refusable()
    print(f"{len(known & set(FOLLOWED))} of {len(known)} are followed; not yet:")
    print(*sorted(known - set(FOLLOWED)))
