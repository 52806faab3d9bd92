"""Who does what a page's recipe says has nothing left to do.

For each case, the recipe that the page shows is followed by a program of
`tests/rules/followed`, or by one of `test_recipes_of_files.py`. Recipes of two programs are
the same if they differ only in names that the programs have, and in numbers.
"""

from __future__ import annotations

import ast
import pathlib
import re
import tempfile
from collections.abc import Iterable, Iterator

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.run import run_programs
from reference.pages.cases import Case, cases
from tests.rules.followed import FOLLOWED
from tests.rules.followed.by_case import SEVERAL
from tests.rules.followed.corrected import CORRECTED, NOT_CORRECTED, OTHERWISE
from tests.rules.test_recipes_of_files import FORMS

TOLD = (Outcome.REFUSED, Outcome.WARNED, Outcome.FAILED)
CASES = cases()
# Cases that are told something without a recipe, and why.
WITHOUT_RECIPE = {
    "G009_compile": "the original does not compile; the page says whom to tell otherwise",
    "N100": "the reason and the recipe stand in another finding of the program",
}
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+|\W")
# A code, a recipe, and the names of the program that it is for.
Recipe = tuple[str, str, frozenset[str]]


def find_names(text: str) -> frozenset[str]:
    """The names that a program binds, and the words of its strings."""
    found: set[str] = set()
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return frozenset()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)):
            if isinstance(node.ctx, ast.Store):
                found.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= set(re.findall(r"\w+", node.value))
    return frozenset(found)


def is_same(one: Recipe, other: Recipe) -> bool:
    """Whether two recipes are one, but for names and numbers of their programs."""
    words, others = _WORD.findall(one[1]), _WORD.findall(other[1])
    return (
        one[0] == other[0]
        and len(words) == len(others)
        and all(
            a == b or (a in one[2] and b in other[2]) or (a.isdigit() and b.isdigit())
            for a, b in zip(words, others)
        )
    )


def choose(name: str, found: Iterable[Finding]) -> set[str]:
    """The recipes that a pair follows, of those that its program is told."""
    told = {f.recipe for f in found if f.code == name[:4] and f.outcome in TOLD}
    if name not in SEVERAL:
        return told
    return {r for r in told if r.startswith(SEVERAL[name])}


def list_followed() -> tuple[Recipe, ...]:
    """Every recipe that some program follows."""
    found: list[Recipe] = []
    for name, (before, _) in FOLLOWED.items():
        for recipe in choose(name, migrate_text(before).findings):
            found.append((name[:4], recipe, find_names(before)))
    for name, (options, files, _) in FORMS.items():
        with tempfile.TemporaryDirectory() as directory:
            for file, text in files.items():
                (pathlib.Path(directory) / file).write_text(text, "utf-8")
            results = run_programs([pathlib.Path(directory)], options)
            told = [f for part in results for r in part for f in r.findings]
        bound = find_names("\n".join(files.values()))
        for recipe in choose(name, told):
            found.append((name[:4], recipe, bound))
    return tuple(found)


def list_told(case: Case) -> Iterator[Recipe]:
    """The recipes of a case's own code."""
    for finding in case.findings():
        if finding.outcome in TOLD:
            yield finding.code, finding.recipe, find_names(case.text)


def is_refused(case: Case) -> bool:
    return any(f.outcome in TOLD for f in case.findings())


def test_each_recipe_of_a_case_is_followed_by_a_program() -> None:
    followed = list_followed()
    refused = [name for name, case in CASES.items() if is_refused(case)]
    without, open_recipes = set(), []
    for name in refused:
        told = [recipe for recipe in list_told(CASES[name]) if recipe[1]]
        if not told:
            without.add(name)
        for recipe in told:
            if not any(is_same(recipe, other) for other in followed):
                open_recipes.append((name, recipe[1]))
    assert not open_recipes
    assert without == set(WITHOUT_RECIPE)
    assert len(refused) > 150 and len(CASES) - len(refused) > 120


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_left_to_do_about_a_case_that_is_not_refused(name: str) -> None:
    """Of its code nothing is told, also not of what is written for it."""
    case = CASES[name]
    if is_refused(case):
        return  # What is told of it is followed: see the test above.
    found = case.findings()
    asks = any(f.recipe for f in found)
    assert asks is (name in CORRECTED or name in NOT_CORRECTED)
    again = migrate_text(migrate_text(case.text).text).findings
    assert not [f for f in again if f.code == case.code and f.outcome in TOLD]


@pytest.mark.parametrize("name", CORRECTED)
def test_the_correction_by_hand_is_the_correction_of_the_tool(name: str) -> None:
    case = CASES[name]
    text = case.text
    for old, new in CORRECTED[name]:
        assert old in text, old
        text = text.replace(old, new)
    done = migrate_text(text)
    asked = [f for f in done.findings if f.code == case.code and f.recipe]
    assert not asked
    by_tool = ast.unparse(ast.parse(migrate_text(case.text).text))
    by_hand = ast.unparse(ast.parse(done.text))
    assert (by_tool == by_hand) is (name not in OTHERWISE)


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_pair_says_which_of_several_recipes_it_follows(name: str) -> None:
    found = migrate_text(FOLLOWED[name][0]).findings
    told = {f.recipe for f in found if f.code == name[:4] and f.outcome in TOLD}
    assert (len(told) > 1) is (name in SEVERAL)
    for beginning in SEVERAL.get(name, ()):
        assert len([r for r in told if r.startswith(beginning)]) == 1, beginning


def test_recipes_are_the_same_but_for_names() -> None:
    mine = ("S111", "Feed it in line 3: `{y: value}`.", frozenset({"y"}))
    other = ("S111", "Feed it in line 12: `{labels: value}`.", frozenset({"labels"}))
    assert is_same(mine, other)
    assert not is_same(mine, (*other[:2], frozenset()))
    assert not is_same(mine, ("S112", *other[1:]))
    assert not is_same(mine, ("S111", "Feed it.", frozenset({"y"})))


def test_the_lists_are_of_cases() -> None:
    assert {*WITHOUT_RECIPE, *CORRECTED, *NOT_CORRECTED} <= set(CASES)
    assert set(OTHERWISE) <= set(CORRECTED)
    assert not set(CORRECTED) & set(NOT_CORRECTED)
    assert set(SEVERAL) <= set(FOLLOWED)
