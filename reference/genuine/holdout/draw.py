"""Draws the programs of the hold-out.

    python -m reference.genuine.holdout.draw MIRRORS [--development]

prints the drawn programs as rows of `programs.tsv`. The rule, written down before a program
was looked at:

1. `names.txt` has repositories by parts of their names. One that is in
   `reference/proved/programs.toml` is left out.
2. A repository belongs to the hold-out if the SHA-256 of its name is even, and to the
   development set if it is odd. No repository is in both.
3. The lists take turns; within a list the order is that of the SHA-256.
4. A candidate is a Python 3 file of the repository's newest commit that is started
   (`is_started`) and, with the modules of its repository that it imports, opens a session, trains,
   and names no Estimator, server or cluster.
5. Of each repository's candidates, in the order of their paths, the first, the middle one and the
   last are drawn, unless an earlier one has the same code.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import hashlib
import pathlib
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping

NAMES = pathlib.Path(__file__).with_name("names.txt")
PROVED = pathlib.Path(__file__).parents[2] / "proved" / "programs.toml"

_SESSIONS = frozenset(
    {"Session", "InteractiveSession", "MonitoredTrainingSession", "MonitoredSession"}
    | {"SingularMonitoredSession", "managed_session", "Supervisor"}
)
_TRAINS = frozenset({"minimize", "apply_gradients"})
_OTHERS = re.compile(
    r"Estimator|^estimator$|^Server$|^ClusterSpec$|^train_and_evaluate$"
)
_LARGEST = 200_000


@dataclasses.dataclass(frozen=True)
class Drawn:
    """One program: where it is, and the digest of its text."""

    repository: str
    commit: str
    path: str
    digest: str


def read_names(path: pathlib.Path = NAMES) -> dict[str, list[str]]:
    """Repositories by the word that they were found by."""
    found: dict[str, list[str]] = {}
    word = ""
    for line in path.read_text().splitlines():
        if line.startswith("["):
            word = line.strip("[]")
            found[word] = []
        elif line and not line.startswith("#"):
            found[word].append(line)
    return found


def order(names: Mapping[str, list[str]], *, development: bool) -> list[str]:
    """Repositories of one of the two sets, in the order in which they are drawn."""
    proved = set(re.findall(r'^repository = "(.*)"$', PROVED.read_text(), re.M))
    seen: set[str] = set()
    lists: list[list[str]] = []
    for _, listed in sorted(names.items()):
        fresh = [n for n in listed if n not in proved and n not in seen]
        seen.update(fresh)
        own = [n for n in fresh if _digest(n) % 2 == development]
        lists.append(sorted(own, key=_digest))
    longest = max(map(len, lists))
    return [own[i] for i in range(longest) for own in lists if i < len(own)]


def _digest(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


class Repository:
    """A bare repository's newest commit."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self.commit = self._git("rev-parse", "HEAD").decode().strip()
        listed = self._git("ls-tree", "-rz", "--name-only", "HEAD").decode(
            "utf-8", "replace"
        )
        self.paths = sorted(p for p in listed.split("\0") if p.endswith(".py"))
        self._read: dict[str, bytes] = {}

    def read(self, path: str) -> bytes:
        if path not in self._read:
            self._read[path] = self._git("show", f"HEAD:{path}")
        return self._read[path]

    def _git(self, *arguments: str) -> bytes:
        command = ["git", f"--git-dir={self._directory}", *arguments]
        return subprocess.run(
            command, capture_output=True, check=True, timeout=120
        ).stdout


def parse(text: bytes) -> ast.Module | None:
    """A file's tree; None where it is no Python 3 or too long."""
    if len(text) > _LARGEST:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def imported(path: str, tree: ast.Module, paths: Iterable[str]) -> set[str]:
    """Modules of the repository that a file imports, looked for beside it and at the root."""
    known, found = set(paths), set()
    beside = pathlib.PurePosixPath(path).parent
    for node in ast.walk(tree):
        wanted: list[str] = []
        base = beside
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            wanted = [module, *(f"{module}.{a.name}".strip(".") for a in node.names)]
            if node.level > 1:
                base = beside.joinpath(*[".."] * (node.level - 1))
        for name in filter(None, wanted):
            below = name.replace(".", "/")
            for start in {str(base), "."}:
                for file in (f"{start}/{below}.py", f"{start}/{below}/__init__.py"):
                    place = str(pathlib.PurePosixPath(file))
                    if place in known and place != path:
                        found.add(place)
    return found


def is_started(tree: ast.Module) -> bool:
    """Whether a file does something when it is started, besides defining."""
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == "__name__":
                return True
            if isinstance(node, ast.Attribute) and node.attr in _SESSIONS:
                return True
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if isinstance(statement.value.func, ast.Name):
                return True
    return False


def is_candidate(path: str, repository: Repository) -> bool:
    """Whether a file is a session program that trains, with what it imports of its repository."""
    tree = parse(repository.read(path))
    if tree is None or not is_started(tree):
        return False
    trees, work = {path: tree}, [path]
    while work:
        current = work.pop()
        for other in imported(current, trees[current], repository.paths) - set(trees):
            parsed = parse(repository.read(other))
            if parsed is None:
                return False
            trees[other] = parsed
            work.append(other)
    names = {name for parsed in trees.values() for name in _names(parsed)}
    modules = {m for parsed in trees.values() for m in _modules(parsed)}
    return (
        "tensorflow" in modules
        and bool(names & _SESSIONS)
        and bool(names & _TRAINS)
        and not any(_OTHERS.search(name) for name in names)
    )


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def draw(mirrors: pathlib.Path, names: Iterable[str]) -> Iterator[Drawn]:
    """The programs of these repositories, as far as they are among the mirrors."""
    codes: set[str] = set()
    for name in names:
        place = mirrors / name.replace("/", "+") / "repo"
        place = place / ".git" if (place / ".git").exists() else place
        if not place.exists():
            continue
        repository = Repository(place)
        found = [p for p in repository.paths if is_candidate(p, repository)]
        chosen = sorted({0, len(found) // 2, len(found) - 1}) if found else []
        for path in [found[i] for i in chosen]:
            text = repository.read(path)
            tree = parse(text)
            code = hashlib.sha256(ast.dump(tree).encode()).hexdigest() if tree else ""
            if code not in codes:
                codes.add(code)
                digest = hashlib.sha256(text).hexdigest()
                yield Drawn(name, repository.commit, path, digest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mirrors", type=pathlib.Path)
    parser.add_argument("--development", action="store_true")
    given = parser.parse_args()
    for one in draw(given.mirrors, order(read_names(), development=given.development)):
        print(*dataclasses.astuple(one), sep="\t")


if __name__ == "__main__":
    main()
