"""Who follows a refusal's recipe ends with a program that is migrated.

What is refusable and has no such pair is listed by

    python -m tests.rules.test_recipes

and with --write it writes the list of the recipes as they are printed.
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

import pytest

import migrate
from migrate.beside import files as beside
from migrate.codes import CODES
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables.unsupported import UNSUPPORTED
from reference.pages.cases import cases
from reference.processes import run_program
from tests import ledger
from tests.programs.mistake_cases import CASES as MISTAKES
from tests.programs.mistake_cases import Case
from tests.rules import test_recipes_of_files
from tests.rules.followed import FOLLOWED

# Programs of TensorFlow 2: what the recipe makes of them has nothing left to migrate.
OF_TF2 = {
    *("D104", "D106", "D108", "D110", "D113", "D137", "D140", "D141", "D142", "D143"),
    *("D146", "P110"),
}

# What the user has to do something about.
TOLD = (Outcome.REFUSED, Outcome.WARNED)


def refused(text: str) -> set[str]:
    found = migrate_text(text).findings
    assert not [f for f in found if f.outcome is Outcome.FAILED]
    return {f.code for f in found if f.outcome in TOLD}


@pytest.mark.parametrize("code", FOLLOWED)
def test_the_recipe_leads_to_a_program_that_is_migrated(code: str) -> None:
    before, after = FOLLOWED[code]
    assert code[:4] in refused(before)
    assert not refused(after)
    assert (migrate_text(after).text == after) is (code[:4] in OF_TF2)


# Of the commonest in public code: what is written of the followed program runs.
RUN = ("S109", "V103_regulariser", "E114")


def test_what_is_written_runs(tmp_path: pathlib.Path) -> None:
    ledger.rests_on(ledger.COMPILER)
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


# Codes that can be refused and whose recipe no program here follows, and why.
NOT_FOLLOWED = {
    "N100": "says that the reason is elsewhere, and never is it: test_recipes_of_files.py",
}
# Mistakes that the tool always mends, or leaves because TensorFlow 1 meant the same.
MENDED = {"D101", "D147", "D158"}
# Those that need options, a notebook or several files.
IN_OTHER_FORMS = {name[:4] for name in test_recipes_of_files.FORMS}
PRINTED = pathlib.Path(__file__).with_name("followed") / "recipes.tsv"
_CODE = re.compile(r"[A-Z]\d{3}")


def refusable() -> set[str]:
    """Codes with which something can be refused: those of cases, and those of the source."""
    found = {
        name
        for name, case in cases().items()
        if any(f.outcome in TOLD for f in case.findings())
    }
    found |= {code for code, _, _ in UNSUPPORTED.values()}
    package = pathlib.Path(migrate.__file__).parent
    for path in package.rglob("*.py"):
        if not {"support", "codes"} & set(path.relative_to(package).parts):
            found |= set(_refused_in(ast.parse(path.read_text("utf-8"))))
    return found


def _refused_in(tree: ast.Module) -> Iterator[str]:
    """The codes that calls of a module refuse something with."""
    named = {
        node.targets[0].id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given = [*node.args, *(k.value for k in node.keywords)]
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        refuses = ("refuse", "refused", "make_refusal", "mistake")
        if name.lower().strip("_") not in refuses and not any(
            isinstance(g, ast.Attribute) and g.attr in ("REFUSED", "WARNED")
            for g in given
        ):
            continue
        for value in given:
            code = value.value if isinstance(value, ast.Constant) else None
            code = named.get(value.id) if isinstance(value, ast.Name) else code
            if isinstance(code, str) and _CODE.fullmatch(code):
                yield code


def printed(name: str) -> str:
    """Returns the recipes that the tool prints for the refused program of a code."""
    found = migrate_text(FOLLOWED[name][0]).findings
    recipes = {f.recipe for f in found if f.code == name[:4] and f.outcome in TOLD}
    return " | ".join(sorted(recipe.replace("\n", " ") for recipe in recipes))


def test_each_is_a_code() -> None:
    assert {name[:4] for name in FOLLOWED} <= set(CODES)


def test_each_recipe_is_followed() -> None:
    followed = {name[:4] for name in FOLLOWED}
    known = {name[:4] for name in refusable()}
    assert known - followed - IN_OTHER_FORMS == set(NOT_FOLLOWED) | MENDED
    assert not followed & (IN_OTHER_FORMS | MENDED)
    assert len(known) > 80  # The scan finds them.


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_a_mistake_without_a_followed_recipe_leaves_nothing_to_do(
    mistake: Case,
) -> None:
    assert not refused(mistake.old) & MENDED


def test_what_is_followed_is_what_is_printed() -> None:
    """A recipe that is written anew has to be followed anew: then write the list again."""
    listed = dict(
        line.split("\t") for line in PRINTED.read_text("utf-8").splitlines() if line
    )
    assert {name: printed(name) for name in FOLLOWED} == listed


if __name__ == "__main__":
    known = refusable()
    print(f"{len(known & set(FOLLOWED))} of {len(known)} are followed; not yet:")
    print(*sorted(known - set(FOLLOWED)))
    if "--write" in sys.argv:
        rows = (f"{name}\t{printed(name)}\n" for name in sorted(FOLLOWED))
        PRINTED.write_text("".join(rows), "utf-8")
