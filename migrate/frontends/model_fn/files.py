"""The files of a model function and of the functions that its network calls, as one."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.joined import Joined
from migrate.program.keras_files import Files


def join_scopes(scopes: Scopes, files: Files | None) -> Scopes:
    """The scopes of a file with model functions, which know those of the others.

    Its own alone where the file is not what it was read as: then nothing of another file
    changes with it.
    """
    if files is None or not _is(scopes, files.model.text):
        return scopes
    others = {source.path: _build_scopes(source.text) for source in files.others}
    return _join_files(scopes, files, others)


def join_scopes_with(scopes: Scopes, files: Files) -> tuple[Joined, frozenset[ast.AST]]:
    """The scopes of a file with model functions, where those at hand are of another one.

    Returns:
      The scopes, and the nodes of the file at hand; none if it has changed.
    """
    others: dict[str, Scopes] = {}
    here: frozenset[ast.AST] = frozenset()
    for source in files.others:
        if not here and _is(scopes, source.text):
            others[source.path], here = scopes, frozenset(scopes.walk())
        else:
            others[source.path] = _build_scopes(source.text)
    return _join_files(_build_scopes(files.model.text), files, others), here


def _join_files(own: Scopes, files: Files, others: dict[str, Scopes]) -> Joined:
    imports = {s.path: s.imports for s in (files.model, *files.others)}
    return Joined(own, files.model.path, others, imports)


def _build_scopes(text: str) -> Scopes:
    return build_scopes(ast.parse(text))


def _is(scopes: Scopes, text: str) -> bool:
    """Whether scopes are those of a text."""
    return _dump_body(scopes.tree.body) == _dump_body(ast.parse(text).body)


def _dump_body(body: Iterable[ast.stmt]) -> list[str]:
    return [ast.dump(statement, include_attributes=True) for statement in body]
