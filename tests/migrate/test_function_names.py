"""Functions are named by a verb and its object: see "Names in the code" in docs/prose.md.

No list of verbs is complete. So this counts names whose first word is surely none: a participle,
a preposition, an adverb. The count may fall, and not rise.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

MIGRATE = pathlib.Path(__file__).parents[2] / "migrate"
# Written beside users' programs, or named as the functions of TensorFlow that they stand for.
NAMED_BY_OTHERS = ("support", "runtime", "tfmodel")
# Lower them when you rename one. The three functions handle `next`, `with` and `if`.
FUNCTIONS, METHODS = 3, 0
# Methods that override others: libcst calls its visitors by these names.
NAMED_BY_LIBRARIES = frozenset({"on_leave", "on_visit"})

NO_VERBS = frozenset(
    """
    about above after again all alone always anew any anywhere apart around as at before begun
    below beside bound brought both by chosen drawn each early elsewhere every everywhere for
    found frozen from given gone got grown held here hidden if in inside kept known late later
    left like long lost made more near never new next no not nothing of oftener on once only
    other otherwise outer outermost outside outwards over own per perhaps plain quietly same
    several shown simple spelled still straight taken through to together told twice unclear
    under unknown up what when where whose why with within without written wrong
    """.split()
)
# They end like participles.
VERBS = frozenset({"embed", "exceed", "feed", "need", "seed", "speed"})


def is_no_verb(word: str) -> bool:
    """Whether a function's first word says that it is not named by a verb."""
    return word in NO_VERBS or (word.endswith("ed") and word not in VERBS)


def find_names_without_verbs(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Names of functions, and whether each is a method; properties are things."""
    for holder in ast.walk(tree):
        if not isinstance(holder, ast.Module | ast.ClassDef):
            continue
        for node in holder.body:
            if not isinstance(node, ast.FunctionDef):
                continue
            decorators = {
                ast.unparse(d).rpartition(".")[2] for d in node.decorator_list
            }
            if decorators & {"property", "cached_property", "setter"}:
                continue
            is_method = isinstance(holder, ast.ClassDef)
            if is_method and node.name in NAMED_BY_LIBRARIES:
                continue
            if is_no_verb(node.name.lstrip("_").split("_")[0]):
                yield node.name, is_method


def test_names_without_verbs_become_fewer() -> None:
    found: dict[bool, list[str]] = {False: [], True: []}
    for path in sorted(MIGRATE.rglob("*.py")):
        where = path.relative_to(MIGRATE)
        if where.parts[0] not in NAMED_BY_OTHERS:
            tree = ast.parse(path.read_text("utf-8"))
            for name, is_method in find_names_without_verbs(tree):
                found[is_method].append(f"{where}: {name}")
    assert len(found[False]) <= FUNCTIONS, found[False]
    assert len(found[True]) <= METHODS, found[True]


def test_the_count_sees_them() -> None:
    text = (
        "def told(): ...\ndef _apart(): ...\ndef feed(): ...\ndef find_named(): ...\n"
        "class A:\n    def _of(self): ...\n    @property\n    def named(self): ...\n"
        "    def on_leave(self): ...\n"
    )
    found = list(find_names_without_verbs(ast.parse(text)))
    assert found == [("told", False), ("_apart", False), ("_of", True)]
