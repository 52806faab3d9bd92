"""Finds the names of TensorFlow in a text, without the tool's own resolver.

A judge of a result must not use the code that made it. So this module reads imports and
attributes with nothing but `ast`, and looks names up in the generated list of
TensorFlow 2.21's exports.
"""

from __future__ import annotations

import ast
import bisect
import collections
import dataclasses
import difflib
from collections.abc import Collection, Iterator

from migrate.tables import signatures

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclasses.dataclass(frozen=True)
class Spelled:
    """One dotted path below `tensorflow`.

    Attributes:
      line: of the text.
      path: "tensorflow.train.Server".
      imported: whether an import spells it.
      used: of an import, the lines on which the name it binds is read.
    """

    line: int
    path: str
    imported: bool = False
    used: frozenset[int] = frozenset()


def spelled(tree: ast.Module) -> Iterator[Spelled]:
    """Every path that a module names, in imports and in uses.

    Imports count whatever scope they stand in. A name that a function has as a
    parameter, or assigns, is not the imported one in it.
    """
    imported = _imported(tree)
    lines: dict[str, set[int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            lines.setdefault(node.id, set()).add(node.lineno)
    names: dict[str, str] = {}
    rebound = _rebound(tree)
    for line, path, name in imported:
        yield Spelled(line, path, True, frozenset(lines.get(name, ())))
        if name and name not in rebound:
            names[name] = path
    for line, path in _uses(tree, names):
        yield Spelled(line, path)


def unaccounted(
    old: str, new: str, refused: Collection[int], symbols_refused: Collection[str]
) -> list[Spelled]:
    """Lists names of a result that TensorFlow 2.21 lacks and that no refusal is about.

    Args:
      old, new: the text before and after.
      refused: lines of the old text at which something was refused.
      symbols_refused: the symbols that were refused somewhere, for lines that changed.
    """
    before = _unchanged(old, new)
    named = {symbol.rpartition(".")[2] for symbol in symbols_refused}
    missing = [s for s in spelled(ast.parse(new)) if not exists(s.path)]

    def told(one: Spelled) -> bool:
        spelling = "tf" + one.path.removeprefix("tensorflow")
        return (
            before.get(one.line) in refused
            # The line changed around it: the refusal names it, publicly spelled.
            or one.path.rpartition(".")[2] in named
            or any(
                s == spelling or s.startswith(spelling + ".") for s in symbols_refused
            )
        )

    answered = {s.line for s in missing if not s.imported and told(s)}
    return [
        s
        for s in missing
        if not (
            told(s)
            or s.used & answered
            or any(before.get(n) in refused for n in s.used)
        )
    ]


def _unchanged(old: str, new: str) -> dict[int, int]:
    """Lines of the new text that were there before -> their number in the old one."""
    return {n + 1: o + 1 for o, n in aligned(old.split("\n"), new.split("\n"))}


def aligned(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs of indices of equal lines, ascending in both.

    What begins and ends alike, and between that what lies between the lines which both
    have once, in the same order: quick, and right where edits are local.
    """
    pairs: list[tuple[int, int]] = []
    todo = [(0, len(old), 0, len(new))]
    while todo:
        first, last, start, stop = todo.pop()
        while first < last and start < stop and old[first] == new[start]:
            pairs.append((first, start))
            first, start = first + 1, start + 1
        while first < last and start < stop and old[last - 1] == new[stop - 1]:
            last, stop = last - 1, stop - 1
            pairs.append((last, stop))
        anchors = _anchors(old, new, range(first, last), range(start, stop))
        for one, two in anchors:
            pairs.append((one, two))
            todo.append((first, one, start, two))
            first, start = one + 1, two + 1
        if anchors:
            todo.append((first, last, start, stop))
        elif (last - first) * (stop - start) < _FEW:
            matcher = difflib.SequenceMatcher(
                None, old[first:last], new[start:stop], autojunk=False
            )
            for block in matcher.get_matching_blocks():
                pairs += [
                    (first + block.a + i, start + block.b + i)
                    for i in range(block.size)
                ]
    return sorted(pairs)


_FEW = 40_000  # Pairs of lines that are worth a search for the longest match.


def _anchors(
    old: list[str], new: list[str], before: range, after: range
) -> list[tuple[int, int]]:
    """Lines that are there once in both ranges, as far as they keep their order."""

    def once(lines: list[str], where: range) -> dict[str, int]:
        counted = collections.Counter(lines[i] for i in where)
        return {lines[i]: i for i in where if counted[lines[i]] == 1}

    there = once(new, after)
    both = [(i, there[line]) for line, i in once(old, before).items() if line in there]
    # The longest series that ascends in both: the last pair of each length, and before.
    ends: list[int] = []
    series: list[tuple[tuple[int, int], int]] = []  # A pair, and the one before it.
    last: list[int] = []
    for pair in both:
        length = bisect.bisect_left(ends, pair[1])
        series.append((pair, last[length - 1] if length else -1))
        ends[length : length + 1] = [pair[1]]
        last[length : length + 1] = [len(series) - 1]
    found: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        pair, at = series[at]
        found.append(pair)
    return found[::-1]


def _imported(tree: ast.Module) -> list[tuple[int, str, str]]:
    """(line, dotted path, name that is bound to it or "") of TensorFlow's imports."""
    found: list[tuple[int, str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_tensorflow(alias.name):
                    root = "" if alias.asname else "tensorflow"
                    found.append((node.lineno, alias.name, alias.asname or ""))
                    found += [(node.lineno, root, root)] if root else []
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names if _is_tensorflow(node.module or "") else ():
                star = alias.name == "*"
                path = f"{node.module}.{alias.name}"
                name = "" if star else alias.asname or alias.name
                found.append((node.lineno, node.module if star else path, name))
    return found


def _rebound(tree: ast.Module) -> set[str]:
    """Names that stand for something else as well, as after `except ImportError`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.Import):
            found |= {
                alias.asname or alias.name.partition(".")[0]
                for alias in node.names
                if not _is_tensorflow(alias.name)
            }
        elif isinstance(node, ast.ImportFrom):
            if node.level or not _is_tensorflow(node.module or ""):
                found |= {alias.asname or alias.name for alias in node.names}
    return found


def _is_tensorflow(module: str) -> bool:
    return module == "tensorflow" or module.startswith("tensorflow.")


def _uses(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[int, str]]:
    if isinstance(node, _FUNCTIONS):
        own = _local_names(node)
        names = {name: path for name, path in names.items() if name not in own}
    path = _path(node, names)
    if path:
        yield getattr(node, "lineno", 1), path
        return
    for child in ast.iter_child_nodes(node):
        yield from _uses(child, names)


def _path(node: ast.AST, names: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in names:
        return ".".join([names[node.id], *reversed(parts)])
    return ""


def _local_names(function: ast.AST) -> set[str]:
    """Parameters and assigned names, but none that the function imports."""
    assert isinstance(function, _FUNCTIONS)
    own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
    return own


def misfits(old: str, new: str, refused: Collection[int]) -> list[str]:
    """Calls of a result that TensorFlow 2.21's own signature does not take, untold.

    Args:
      old, new: the text before and after.
      refused: lines of the old text at which something was refused.
    """
    tree = ast.parse(new)
    before = _unchanged(old, new)
    rebound = _rebound(tree)
    names = {name: p for _, p, name in _imported(tree) if name and name not in rebound}
    return [
        f"{line}: {path}: {why}"
        for line, path, why in _called(tree, names)
        if before.get(line) not in refused
    ]


def _called(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    if isinstance(node, _FUNCTIONS):
        own = _local_names(node)
        names = {name: path for name, path in names.items() if name not in own}
    if isinstance(node, ast.Call):
        path = _path(node.func, names)
        spelling = "tf" + path.removeprefix("tensorflow")
        why = signatures.find_misfit(node, spelling) if path else ""
        twin = spelling.replace("tf.keras.", "tf_keras.", 1)
        if why and not (twin != spelling and not signatures.find_misfit(node, twin)):
            yield node.lineno, path, why
    for child in ast.iter_child_nodes(node):
        yield from _called(child, names)


def exists(path: str) -> bool:
    """Whether TensorFlow 2.21 has `tensorflow.a.b` as a public name.

    Attributes of what is no module count as there: methods and fields are not listed.
    """
    return signatures.exists("tf" + path.removeprefix("tensorflow"))
