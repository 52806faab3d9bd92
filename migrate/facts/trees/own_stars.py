"""Names of the user's own that a star brings: `from model import *`, then `model_fn`.

What files have together is found by what they import by name. So a file that imports all
names of another is read as if it imported those that it uses: `from model import model_fn`.
It is read so only where that is the same program: each such name is one that the other file
binds whenever it is imported, and hands out; no later star may bring another; and nothing
looks for names by their text. What a file is read as is not what is written: see
`restore_stars`.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.offered import Offered, Offers, binds_by_text, is_star
from migrate.source.nodes import parse_or_none, walk_breadth_first

# Line of a star -> the import of all, and that of the names that are used.
Stars = Mapping[int, tuple[str, str]]
# A star import of a file's own level that is alone in its line.
_STAR = re.compile(rb"^(from \.*[\w.]+ import[ \t]*\*)[ \t]*(?:#.*)?\r?$", re.MULTILINE)
# Import statements, as a text shows them, and calls that import what a text names.
_IMPORTS = re.compile(
    rb"^[ \t]*(?:from[ \t]+\.*[\w.]*[ \t]+import\b[ \t]*(?:\*|[\w \t,]+|\([^()]*\))"
    rb"|import[ \t]+\w[\w. \t,]*)",
    re.MULTILINE,
)
_LOADS = re.compile(rb"\b(?:import_module|__import__|run_path|run_module|spec_from)")
_LOOKS = re.compile(rb"\bgetattr\(\s*(\w+)")
_WORD = re.compile(rb"\w+")
# Longer, an import has a row for each name.
_WIDTH = 88
_TENSORFLOW = re.compile(r"(?:import|from) tensorflow\b")


@dataclasses.dataclass(frozen=True, eq=False)
class _Star:
    """A star import.

    Attributes:
      place: which statement of its module it is.
      offered: what it brings; None where that is not certain.
    """

    place: int
    line: int
    text: str
    offered: Offered | None


def find_own_stars(
    texts: Mapping[str, bytes],
    others: Iterable[bytes],
    file_of: Callable[[str, str], str | None],
    followed: Mapping[str, Mapping[int, tuple[str, str]]],
) -> dict[str, Stars]:
    """Real path of a file -> its stars that are read as imports of names.

    Args:
      texts: of the Python files of the run, by real path.
      others: of those of its files that may import one of these beside them.
      file_of: the file that a module's name means in another.
      followed: what imports mean that bring TensorFlow.
    """
    starred = {real for real, data in texts.items() if _STAR.search(data)}
    if not starred:
        return {}
    search = _Search(texts, tuple(others), file_of)
    found = {}
    for real in starred:
        if search.mentions_tensorflow(real):
            stars = search.find_stars(real, followed.get(real, {}))
            if stars:
                found[real] = stars
    return found


def write_names_for_stars(text: str, stars: Stars) -> str:
    """The text with these imports of names in place of stars; all lines stay."""
    if not stars:
        return text
    lines = text.split("\n")
    for number, (star, meant) in stars.items():
        if number <= len(lines) and _begins(lines[number - 1], star):
            lines[number - 1] = meant + lines[number - 1][len(star) :]
    return "\n".join(lines)


def restore_stars(text: str, stars: Stars) -> tuple[str, list[int]]:
    """The result with the stars again whose names are what they were.

    Returns:
      The text, and the lines of the others: what is imported there has another name now.
    """
    lines = text.split("\n")
    left = []
    for number, (star, meant) in stars.items():
        same = [n for n, line in enumerate(lines) if _begins(line, meant)]
        if same:
            lines[same[0]] = star + lines[same[0]][len(meant) :]
            continue
        left.append(number)
        lines = [_break_import(line, star.removesuffix("*")) for line in lines]
    return "\n".join(lines), left


def _break_import(line: str, start: str) -> str:
    """An import that begins so, with a row for each name where it is too long."""
    if len(line) <= _WIDTH or not line.startswith(start) or "#" in line:
        return line
    names = line.removeprefix(start).rstrip().split(", ")
    return f"{start}(\n" + "".join(f"    {name},\n" for name in names) + ")"


def _begins(line: str, statement: str) -> bool:
    """Whether a line is a statement, or begins with it."""
    rest = line.removeprefix(statement)
    return line.startswith(statement) and rest.strip()[:1] in ("", ";", "#")


class _Search:
    def __init__(
        self,
        texts: Mapping[str, bytes],
        others: tuple[bytes, ...],
        file_of: Callable[[str, str], str | None],
    ) -> None:
        self._texts = texts
        self._others = others
        self._offers = Offers(texts, file_of)
        self._words: dict[bytes, tuple[set[bytes], set[bytes]]] = {}

    def mentions_tensorflow(self, real: str) -> bool:
        """Whether a file, or one that its stars lead to, has to do with TensorFlow."""
        return any(
            b"tensorflow" in self._texts[one]
            for one in (real, *self._offers.follow_stars(real))
        )

    def find_stars(self, real: str, followed: Mapping[int, tuple[str, str]]) -> Stars:
        data = self._texts[real]
        tree = parse_or_none(data)
        if tree is None:
            return {}
        scopes = build_scopes(tree)
        if binds_by_text(tree, scopes) or any(
            is_star(node) and node not in tree.body for node in walk_breadth_first(tree)
        ):
            return {}
        stars = list(self._find_stars(real, data, tree))
        for place in range(len(stars) - 1, -1, -1):
            if stars[place].offered is None:  # It may bring another of any name.
                stars = stars[place + 1 :]
                break
        needed = _read(scopes) | self._find_demanded_names(real, scopes)
        if any(needed & star.offered.unsure for star in stars if star.offered):
            return {}
        taken: dict[_Star, list[str]] = {star: [] for star in stars}
        known = {
            statement.split()[-1]
            for _, meant in followed.values()
            for statement in meant.split("; ")
        }
        for name in sorted(needed):
            bring = [s for s in stars if s.offered and name in s.offered.certain]
            if not bring:
                continue
            last = bring[-1]
            assert last.offered is not None
            origin = last.offered.certain[name]
            has = len({s.offered.certain[name] for s in bring if s.offered}) == 1
            has = has and _imports_same(tree, scopes, name, origin, bring[0])
            whole = _TENSORFLOW.match(origin)
            if has or (whole and name in known):
                continue
            for star, after in zip(bring, [*bring[1:], None], strict=True):
                end = (
                    after.place if after else _find_rebinding(tree, scopes, name, star)
                )
                if end is None or _is_read_before(tree, name, end):
                    if whole:
                        return {}  # See `hidden_names`.
                    taken[star].append(name)
        return {
            star.line: (star.text, star.text.removesuffix("*") + ", ".join(names))
            for star, names in taken.items()
            if names
        }

    def _find_stars(self, real: str, data: bytes, tree: ast.Module) -> Iterator[_Star]:
        texts = {
            data.count(b"\n", 0, match.start()) + 1: match[1].decode()
            for match in _STAR.finditer(data)
        }
        for place, node in enumerate(tree.body):
            if is_star(node):
                text = texts.get(node.lineno, "")
                offered = self._offers.read_star(real, node) if text else None
                yield _Star(place, node.lineno, text, offered)

    def _find_demanded_names(self, real: str, scopes: Scopes) -> set[str]:
        """Names that other files may take of a file."""
        listed = {
            node.value
            for node in walk_breadth_first(scopes.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        found = listed if "__all__" in scopes.module.bindings else set()
        todo, seen = [real], {real}
        while todo:
            path = pathlib.Path(todo.pop())
            name = path.parent.name if path.stem == "__init__" else path.stem
            for other, data in self._walk_texts():
                if other in seen or name.encode() not in data:
                    continue
                importing, words = self._find_words(data)
                if name.encode() not in importing:
                    continue
                found |= {word.decode() for word in words}
                if importing & set(_LOOKS.findall(data)):
                    found |= set(scopes.module.bindings) | self._offers.find_names(real)
                if other and _STAR.search(data):
                    seen.add(other)  # What imports that may take it from there.
                    todo.append(other)
        return found

    def _walk_texts(self) -> Iterator[tuple[str, bytes]]:
        yield from self._texts.items()
        for data in self._others:
            yield "", data

    def _find_words(self, data: bytes) -> tuple[set[bytes], set[bytes]]:
        """The words of a text's imports, and all words of it."""
        if data not in self._words:
            words = set(_WORD.findall(data))
            importing = words
            if not _LOADS.search(data) and not data.lstrip().startswith(b"{"):
                importing = {
                    word
                    for match in _IMPORTS.finditer(data)
                    for word in _WORD.findall(match[0])
                }
            self._words[data] = importing, words
        return self._words[data]


def _read(scopes: Scopes) -> set[str]:
    """Names that a module reads, or changes, and that may be its own."""
    found = set()
    for node in scopes.walk():
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load | ast.Del):
            owner = scopes.find_scope(node).find_owner(node.id)
            if owner is None or isinstance(owner.node, ast.Module | ast.ClassDef):
                found.add(node.id)
    return found


def _imports_same(
    tree: ast.Module, scopes: Scopes, name: str, origin: str, star: _Star
) -> bool:
    """Whether a module itself imports what a star brings, before it: `import os`."""
    bound = scopes.module.bindings.get(name, [])
    before = any(node in bound for node in tree.body[: star.place])
    return (
        bool(origin)
        and before
        and all(Offers.find_origin(node, name) == origin for node in bound)
    )


def _find_rebinding(
    tree: ast.Module, scopes: Scopes, name: str, star: _Star
) -> int | None:
    """The statement after a star by which a module binds a name anew, if it does."""
    bound = scopes.module.bindings.get(name, [])
    plain = (ast.Assign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    for place, node in enumerate(tree.body[star.place :], star.place):
        if isinstance(node, plain) and node in bound:
            return place
    return None


def _is_read_before(tree: ast.Module, name: str, end: int) -> bool:
    """Whether a name is read in the statements up to one, or in what that one binds.

    A function before it may be called before it; one that it defines is called later.
    """
    last = tree.body[end]
    parts: list[ast.AST] = [*tree.body[:end]]
    if isinstance(last, ast.FunctionDef):
        parts += [*last.decorator_list, last.args]
    else:
        parts.append(last)
    every = [node for part in parts for node in walk_breadth_first(part)]
    read = {n.target for n in every if isinstance(n, ast.AugAssign)}
    read |= {n for n in every if isinstance(n, ast.Name) and not _is_bound(n)}
    return any(isinstance(node, ast.Name) and node.id == name for node in read)


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)
