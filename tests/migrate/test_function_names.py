"""Functions are named by a verb and its object: see "Names in the code" in docs/prose.md.

The first word of a name must be in `verbs.txt`. Add a verb there when you need a new one. A
function that says yes or no may begin with a verb in the third person: `reads_mode`.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

MIGRATE = pathlib.Path(__file__).parents[2] / "migrate"
VERBS = frozenset(pathlib.Path(__file__).with_name("verbs.txt").read_text().split())
# Written beside users' programs, or named as the functions of TensorFlow that they stand for.
NAMED_BY_OTHERS = ("support", "runtime", "tfmodel")
# Methods that override others: libcst calls its visitors by these names.
NAMED_BY_LIBRARIES = frozenset({"on_leave", "on_visit"})
# They have the names of commands: `tf1to2 demo` and `tf1to2 packages`.
WITHOUT_VERBS = 2


def find_names_without_verbs(tree: ast.Module) -> Iterator[str]:
    """Names of functions and methods whose first word is no verb; properties are things."""
    for holder in ast.walk(tree):
        if not isinstance(holder, ast.Module | ast.ClassDef):
            continue
        for node in holder.body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("__"):
                continue
            decorators = {
                ast.unparse(d).rpartition(".")[2] for d in node.decorator_list
            }
            if decorators & {"property", "cached_property", "setter"}:
                continue
            if isinstance(holder, ast.ClassDef) and node.name in NAMED_BY_LIBRARIES:
                continue
            if node.name.lstrip("_").split("_")[0] not in VERBS:
                yield node.name


def test_names_are_verbs() -> None:
    found = []
    for path in sorted(MIGRATE.rglob("*.py")):
        where = path.relative_to(MIGRATE)
        if where.parts[0] not in NAMED_BY_OTHERS:
            tree = ast.parse(path.read_text("utf-8"))
            found += [f"{where}: {name}" for name in find_names_without_verbs(tree)]
    assert len(found) <= WITHOUT_VERBS, found


def test_other_names_are_seen() -> None:
    text = (
        "def attributes(): ...\ndef _apart(): ...\ndef feed(): ...\n"
        "def find_named(): ...\nclass A:\n    def _of(self): ...\n    @property\n"
        "    def named(self): ...\n    def on_leave(self): ...\n"
    )
    found = list(find_names_without_verbs(ast.parse(text)))
    assert found == ["attributes", "_apart", "_of"]
