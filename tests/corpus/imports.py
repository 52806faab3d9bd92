"""Whether the migrated modules of the corpus can be imported on TensorFlow 2.21.

Each package is migrated into a directory, with those of the corpus that it imports, and
all its modules are imported in a process of their own. What fails has a cause: another
package that is not there or does not go with TensorFlow 2.21, or a symbol that the report
refuses, in the file that failed. Anything else is a fault of the tool.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import json
import os
import pathlib
import platform
import re
import sys
from collections.abc import Mapping, Sequence

from migrate import copies, emitted
from migrate.facts import modules
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.results import write_result
from reference import processes
from tests.corpus import dependencies

# Packages of the corpus that others import, and that are migrated with them.
NEEDS: dict[str, tuple[str, ...]] = {
    "adanet": ("tensorflow-estimator",),
    "mesh-tensorflow": ("tensor2tensor",),
    "tensor2tensor": ("mesh-tensorflow", "tf_slim"),
}
_SCRIPT = pathlib.Path(__file__).with_name("import_all.py")
# Modules of one package define the same flags, and TensorFlow is one for all of them:
# what fails so is imported once more, alone.
_TOGETHER = ("DuplicateFlagError", "AlreadyExistsError", "AlreadyRegisteredError")
# How Python says which name of TensorFlow is not there.
_MISSING = (
    re.compile(r"No module named '(?P<module>tensorflow[\w.]*)'"),
    re.compile(
        r"cannot import name '(?P<name>\w+)' from '(?P<module>tensorflow[\w.]*)'"
    ),
    re.compile(
        r"module '(?P<module>tensorflow[\w.]*)' has no attribute '(?P<name>\w+)'"
    ),
)


@dataclasses.dataclass(frozen=True)
class Imports:
    """The result of importing one package's modules.

    Attributes:
      modules: how many there are.
      imported: how many of them can be imported.
      causes: why the others cannot, and how many each keeps.
      unexplained: failures without a cause that is known or reported.
    """

    modules: int
    imported: int
    causes: list[tuple[str, int]]
    unexplained: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Tree:
    """A migrated package on disk.

    Attributes:
      root: the directory that is on Python's path.
      results: by the file in it.
    """

    root: pathlib.Path
    results: Mapping[str, FileResult]


@dataclasses.dataclass(frozen=True)
class Failure:
    """A module that cannot be imported: the error, and where it was raised first."""

    kind: str
    message: str
    file: str
    line: int
    missing: str


def recorded_form(found: Imports) -> dict[str, object]:
    """Returns the form in which it is recorded, with the versions."""
    from tensorflow import __version__

    return {
        "python": platform.python_version().rpartition(".")[0],
        "tensorflow": __version__,
        "modules": found.modules,
        "imported": found.imported,
        "causes": found.causes,
    }


def written(
    source: pathlib.Path, results: Sequence[FileResult], to: pathlib.Path
) -> Tree:
    """Writes a migrated copy of a package."""
    copy = copies.Copy((source,), output=to, stage=to)
    failures = copy.make()
    assert not failures, failures
    by_file = {}
    for result in results:
        target = copy.find_target(result.path)
        if result.changed:
            # Packages that are migrated apart, and loaded together.
            done = write_result(result, target, own_copy=True, whole=True)
            assert not done.failed, done.findings
        by_file[str(target)] = result
    return Tree(to, by_file)


def names(tree: Tree) -> list[str]:
    """The package's own modules."""
    found = []
    for path in sorted(tree.root.rglob("*.py")):
        parts = list(path.relative_to(tree.root).with_suffix("").parts)
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        own = emitted.is_emitted(path, path.read_bytes())
        if parts and all(p.isidentifier() for p in parts) and not own:
            found.append(".".join(parts))
    return found


def tried(tree: Tree, others: Sequence[Tree], where: pathlib.Path) -> Imports:
    """Imports all modules of a package.

    Raises:
      Unavailable: what the packages import besides cannot be had.
    """
    own = names(tree)
    trees = [tree, *others]
    failed = _imported(trees, own, where)
    for name, failure in list(failed.items()):
        if failure.kind in _TOGETHER:
            del failed[name]
            failed.update(_imported(trees, [name], where))
    causes: collections.Counter[str] = collections.Counter()
    unexplained = []
    for name, failure in failed.items():
        cause = _cause(failure, trees)
        causes[cause or "not known"] += 1
        if not cause:
            unexplained.append(f"{name}: {failure}")
    ordered = sorted(causes.items(), key=lambda pair: (-pair[1], pair[0]))
    return Imports(len(own), len(own) - len(failed), ordered, unexplained)


def _imported(
    trees: Sequence[Tree], chosen: Sequence[str], where: pathlib.Path
) -> dict[str, Failure]:
    """The modules among `chosen` that cannot be imported."""
    output = where / "imported.json"
    output.unlink(missing_ok=True)
    roots = os.pathsep.join(str(t.root) for t in trees)
    command = [sys.executable, str(_SCRIPT), roots, str(dependencies.directory())]
    log = where / "imported.txt"
    environment = {"TF_CPP_MIN_LOG_LEVEL": "3"}
    with processes.started([*command, str(output), *chosen], log, environment) as one:
        one.wait(300)
    assert output.exists(), log.read_text("utf-8", "replace")[-3000:]
    found = json.loads(output.read_text("utf-8"))
    return {name: Failure(**failure) for name, failure in found.items()}


def _cause(failure: Failure, trees: Sequence[Tree]) -> str:
    """Explains why a module cannot be imported; "" if there is no explanation."""
    top = failure.missing.partition(".")[0]
    if failure.kind == "ModuleNotFoundError" and top not in ("", "tensorflow"):
        reason = dependencies.LEFT_OUT.get(top)
        return f"{top} is not there" + (f": {reason}" if reason else "")
    other = _imports_of(failure)
    if other and other not in ("tensorflow", *_own(trees)):
        return f"{other} does not go with TensorFlow 2.21 or this Python"
    symbol = _symbol(failure.message)
    result = next(
        (t.results[failure.file] for t in trees if failure.file in t.results), None
    )
    for finding in result.findings if symbol and result else ():
        refused = finding.outcome is Outcome.REFUSED and finding.symbol
        if refused and (
            _within(finding.symbol, symbol) or _within(symbol, finding.symbol)
        ):
            return f"`{symbol}`, refused in the report"
    return ""


def _symbol(message: str) -> str:
    """The name of TensorFlow that an error says is missing, as TF1 named it; or ""."""
    for pattern in _MISSING:
        if found := pattern.search(message):
            parts = found.groupdict()
            module = parts["module"].replace("tensorflow._api.v2", "tensorflow")
            path = f"{module}.{parts['name']}" if parts.get("name") else module
            return modules.make_canonical(path) or ""
    return ""


def _within(symbol: str, other: str) -> bool:
    return symbol == other or symbol.startswith(other + ".")


def _own(trees: Sequence[Tree]) -> set[str]:
    return {name.partition(".")[0] for tree in trees for name in names(tree)}


def _imports_of(failure: Failure) -> str:
    """The package that the failing statement imports, "" if it is no import."""
    path = pathlib.Path(failure.file)
    if not path.is_file():
        return ""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import | ast.ImportFrom) and (
            node.lineno <= failure.line <= (node.end_lineno or node.lineno)
        ):
            if isinstance(node, ast.Import):
                return node.names[0].name.partition(".")[0]
            return (node.module or "").partition(".")[0]
    return ""
