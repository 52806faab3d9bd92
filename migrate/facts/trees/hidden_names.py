"""Finds names for TensorFlow that come from another file and are not followed.

`reexports` follows the names that a file takes from one that imports TensorFlow once. This
module finds the other names: those that the other file binds only under a condition, or
twice, modules through which the name is reached, and names for TensorFlow's modules. The
tool cannot see the uses of such names, and reports that at the import.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from migrate.facts.trees import reexports, stars
from migrate.findings import Finding, Outcome
from migrate.source.nodes import find_plain_names, parse_or_none, walk_breadth_first
from migrate.source.python import map_real_paths, read_or_nothing
from migrate.tables import symbols

CODE = "T115"
# Code that may make a name of a file stand for TensorFlow: an import, at any indentation.
_WHOLE = re.compile(
    rb"^[ \t]*(?:import tensorflow(?:\.compat\.v1)? as (\w+)|import (tensorflow)\b"
    rb"|from tensorflow\.compat import v1 as (\w+))",
    re.MULTILINE,
)
# `layers = tf.layers`, at the top level of the file.
_PART = re.compile(rb"^(\w+) = (\w+)((?:\.\w+)+)[ \t]*(?:#.*)?\r?$", re.MULTILINE)
# An import statement: its module, and the names, perhaps on several lines.
_IMPORTS = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b[ \t]*(\*|[\w \t,]+|\([^()]*\))"
    rb"|import[ \t]+(\w[\w. \t,]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#.*")
# Line of an import -> its text, and the reason why its names are not followed.
Told = dict[int, tuple[str, str]]
# A file and a module's name in it -> the files of the run that the name means, one or none.
Sources = Callable[[pathlib.Path, str], tuple[str, ...]]


@dataclasses.dataclass(frozen=True)
class _Exports:
    """The names at a file's top level that may be TensorFlow's.

    Attributes:
      whole: names for TensorFlow itself.
      parts: name -> the module of TensorFlow that it stands for.
    """

    whole: frozenset[str]
    parts: Mapping[str, str]


def find_hidden_names(
    paths: Iterable[pathlib.Path], followed: Mapping[str, reexports.Lines]
) -> dict[str, Told]:
    """Maps the real path of a file to its imports of names that are TensorFlow's, unseen.

    Args:
      paths: the files of the run.
      followed: the imports that are written out.
    """
    files = map_real_paths(paths)
    texts = {real: read_or_nothing(path) for real, path in files.items()}
    exports = {
        real: found
        for real, data in texts.items()
        if (found := _find_exports(data)) is not None
    }
    known: dict[tuple[pathlib.Path, str], tuple[str, ...]] = {}

    def find_sources(path: pathlib.Path, module: str) -> tuple[str, ...]:
        key = (path.parent, module)
        if key not in known:
            known[key] = tuple(reexports.find_files(path, module, files))
        return known[key]

    _hand_on(exports, files, texts, find_sources)
    unseen: dict[str, Told] = {}
    for real, data in texts.items():
        path = files[real]
        if any(
            _is_suspicious(path, match, data, find_sources, exports)
            for match in _IMPORTS.finditer(data)
        ):
            told = dict(
                _find_unfollowed_imports(
                    path, data, find_sources, exports, followed.get(real, {})
                )
            )
            if told:
                unseen[real] = told
    return unseen


def _hand_on(
    exports: dict[str, _Exports],
    files: Mapping[str, pathlib.Path],
    texts: Mapping[str, bytes],
    sources: Sources,
) -> None:
    """Adds the names that star imports bring to the files that have these imports."""
    taken = [
        (real, source)
        for real, data in texts.items()
        for module in stars.find_modules(data)
        for source in sources(files[real], module)
    ]
    grows = True
    while grows:
        grows = False
        for real, source in taken:
            theirs, own = exports.get(source), exports.get(real)
            if theirs is None:
                continue
            whole = theirs.whole | (own.whole if own else frozenset())
            parts = {**theirs.parts, **(own.parts if own else {})}
            new = _Exports(whole, parts)
            if new != own:
                exports[real] = new
                grows = True


def _find_exports(data: bytes) -> _Exports | None:
    if b"tensorflow" not in data:
        return None
    names = {(m[1] or m[2] or m[3]).decode() for m in _WHOLE.finditer(data)}
    parts = {}
    for match in _PART.finditer(data):
        symbol = f"tf{match[3].decode()}"
        if match[2].decode() in names and symbol in symbols.list_modules():
            parts[match[1].decode()] = symbol
    return _Exports(frozenset(names), parts) if names else None


def _is_suspicious(
    path: pathlib.Path,
    match: re.Match[bytes],
    data: bytes,
    sources: Sources,
    exports: Mapping[str, _Exports],
) -> bool:
    """Whether an import may bring one of the names, judged from the text alone."""
    if match[3]:
        modules = [item.split() for item in match[3].decode().split(",")]
        return any(
            _has_use_through_module(path, words[0], words[-1], data, sources, exports)
            for words in modules
            if words
        )
    module = match[1].decode()
    known = [exports[f] for f in sources(path, module) if f in exports]
    if match[2] == b"*":
        return bool(known)
    for item in _COMMENT.sub(b"", match[2].strip(b"()")).decode().split(","):
        words = item.split()
        if not words:
            continue
        if any(words[0] in one.whole or words[0] in one.parts for one in known):
            return True
        if _has_use_through_module(
            path,
            _find_inner_module(module, words[0]),
            words[-1],
            data,
            sources,
            exports,
        ):
            return True
    return False


def _has_use_through_module(
    path: pathlib.Path,
    module: str,
    name: str,
    data: bytes,
    sources: Sources,
    exports: Mapping[str, _Exports],
) -> bool:
    """Whether a text has `module.tf`, of a module that has the name."""
    return any(
        f"{name}.{inner}".encode() in data
        for file in sources(path, module)
        if file in exports
        for inner in (*exports[file].whole, *exports[file].parts)
    )


def _find_unfollowed_imports(
    path: pathlib.Path,
    data: bytes,
    sources: Sources,
    exports: Mapping[str, _Exports],
    followed: reexports.Lines,
) -> Iterator[tuple[int, tuple[str, str]]]:
    tree = parse_or_none(data)
    if tree is None:
        return
    lines = data.decode("utf-8", "replace").split("\n")
    read = find_plain_names(tree)
    chains = {
        (n.value.id, n.attr)
        for n in walk_breadth_first(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    # No star changes a name that the file imports from TensorFlow itself, once.
    own = {n for n in reexports.find_exports(data) if stars.is_bound_once(data, n)}
    for node in walk_breadth_first(tree):
        reason = ""
        if isinstance(node, ast.ImportFrom):
            reason = _explain_from_import(
                node, path, sources, exports, followed, read - own, chains
            )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                for source in sources(path, alias.name):
                    reason = reason or _explain_module_use(
                        alias.asname or "", exports.get(source), chains
                    )
        if reason and isinstance(node, ast.stmt):
            yield node.lineno, (lines[node.lineno - 1].strip(), reason)


def _explain_from_import(
    node: ast.ImportFrom,
    path: pathlib.Path,
    sources: Sources,
    exports: Mapping[str, _Exports],
    followed: reexports.Lines,
    read: set[str],
    chains: set[tuple[str, str]],
) -> str:
    """Returns the reason why names of a `from` import are not followed, "" if they are."""
    module = "." * node.level + (node.module or "")
    source = next(iter(sources(path, module)), None)
    known = exports.get(source) if source else None
    ends = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    meant = "; ".join(followed[n][1] for n in ends if n in followed)
    for alias in node.names:
        own = alias.asname or alias.name
        if known and alias.name == "*":
            written = {
                statement.split()[-1]
                for _, statements in followed.values()
                for statement in statements.split("; ")[1:]
            }
            taken = sorted(((known.whole | set(known.parts)) & read) - written)
            if taken:
                return f"the star brings `{taken[0]}`, which is TensorFlow's there"
        elif known and alias.name in known.parts and own in read:
            return f"`{own}` is {known.parts[alias.name]} of TensorFlow there"
        elif known and alias.name in known.whole and own in read:
            if not re.search(rf"(?:import|from) tensorflow\b[^;]* {own}(?:;|$)", meant):
                return f"`{own}` is TensorFlow there, but not always"
        for file in sources(path, _find_inner_module(module, alias.name)):
            if reason := _explain_module_use(own, exports.get(file), chains):
                return reason
    return ""


def _find_inner_module(module: str, name: str) -> str:
    """Returns the module that `from module import name` may mean."""
    return f"{module}{'' if module.endswith('.') else '.'}{name}"


def _explain_module_use(
    name: str, known: _Exports | None, chains: set[tuple[str, str]]
) -> str:
    """Returns the reason why uses through a module, `compat.tf.log`, are not seen."""
    for inner in sorted(known.whole | set(known.parts)) if known else ():
        if (name, inner) in chains:
            return f"`{name}.{inner}` leads to TensorFlow"
    return ""


def report_at_imports(
    text: str,
    told: Told,
    result_text: str,
    comment: str,
    code: str = CODE,
    recipe: str = "Import TensorFlow in the file that uses it.",
) -> tuple[str, list[Finding]]:
    """Returns the result with a comment at every such import, and the findings."""
    old, new = text.split("\n"), result_text.split("\n")
    findings = []
    for number, (stands, reason) in sorted(told.items()):
        if number > len(old) or old[number - 1].strip() != stands:
            continue  # The result of an earlier run.
        line = old[number - 1]
        column = len(line) - len(line.lstrip()) + 1
        whole = (
            f"{reason}, and the tool does not follow its uses in this file"
            if code == CODE
            else reason
        )
        findings.append(
            Finding(
                number,
                column,
                code,
                Outcome.REFUSED,
                "",
                whole,
                recipe,
            )
        )
        if line in new:
            at = new.index(line)
            note = f"{line[: column - 1]}{comment} {code} {whole}"
            if at == 0 or new[at - 1] != note:
                new.insert(at, note)
    return "\n".join(new), findings
