"""Adds a cluster that one file of a tree describes to a client that knows none.

    # server.py                                   # client.py
    FLAGS = tf.app.flags.FLAGS                    with tf.device("/job:ps/task:0"): ...
    cluster = tf.train.ClusterSpec({...})         tf.Session("grpc://localhost:2223")

TensorFlow 1's client asked the server for the other tasks' addresses. TensorFlow 2's has
to know them. Statements describe the cluster: flags, their defaults, the lists of
addresses. The tool copies them to the client if they need nothing else.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import pathlib
import textwrap
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.source import python
from migrate.source.nodes import parse_source, walk_breadth_first

MISSING = "C131"  # The finding for a client without its cluster.
_CLUSTER = "tf.train.ClusterSpec"
# Modules that a description may import, beside TensorFlow.
_IMPORTS = frozenset({"os", "sys", "argparse", "json"})
_PARSES = frozenset({"parse_args", "parse_known_args"})
_DEFINES = "DEFINE_"


@dataclasses.dataclass(frozen=True)
class Described:
    """The cluster that one file describes.

    Attributes:
      file: the file's name.
      lines: the statements that describe the cluster, as they stand in the file.
      name: the cluster's name in them.
      flags: the flags in them.
      addresses: the addresses in them.
    """

    file: str
    lines: tuple[str, ...]
    name: str
    flags: tuple[str, ...]
    addresses: frozenset[str]


def find_described_clusters(paths: Iterable[pathlib.Path]) -> tuple[Described, ...]:
    """Returns the clusters of those files that describe exactly one."""
    found = []
    for path in paths:
        # os.path answers also for a path that may not be read: it is no file.
        if path.suffix != ".py" or not os.path.isfile(path):
            continue
        try:
            data = path.read_bytes()
            if b"ClusterSpec" not in data:
                continue
            one = read_cluster_text(python.decode(data).text, path.name)
        except (OSError, python.Unreadable, SyntaxError, ValueError, RecursionError):
            continue
        if one is not None:
            found.append(one)
    return tuple(found)


def read_cluster_text(text: str, file: str) -> Described | None:
    """Returns the cluster that a text describes; None if none, or if it needs other code."""
    scopes = build_scopes(parse_source(text))
    made = scopes.list_calls(_CLUSTER)
    if len(made) != 1 or scopes.find_imported_path("tf") != "tensorflow":
        return None
    statements = _Slice(scopes).collect_statements(made[0])
    if statements is None:
        return None
    around = scopes.parents[made[0]]
    kept = isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Name)
    name = around.targets[0].id if kept else "cluster"  # type: ignore[attr-defined]
    lines: list[str] = []
    for statement in sorted(statements, key=lambda s: s.lineno):
        shown = ast.get_source_segment(text, statement, padded=True)
        lines += textwrap.dedent(shown or "").strip().split("\n")
    call = ast.get_source_segment(text, made[0]) or ast.unparse(made[0])
    lines += f"{name} = {call}".split("\n")
    statements.sort(key=lambda s: s.lineno)
    parts = [*statements, made[0]]
    return Described(
        file,
        tuple(lines),
        name,
        tuple(_find_flags(statements)),
        frozenset(
            address.strip()
            for part in parts
            for node in walk_breadth_first(part)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            for address in node.value.split(",")
            if ":" in address
        ),
    )


class _Slice:
    """The statements of one file that an expression needs, and no others."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes

    def collect_statements(self, value: ast.expr) -> list[ast.stmt] | None:
        found: list[ast.stmt] = []
        work: list[ast.AST] = [value]
        while work:
            for node in walk_breadth_first(work.pop()):
                needed = self._find_needed_statements(node)
                if needed is None:
                    return None
                for statement in needed:
                    if statement not in found:
                        found.append(statement)
                        work.append(statement)
        return found

    def _find_needed_statements(self, node: ast.AST) -> list[ast.stmt] | None:
        """Returns the statements that an expression needs; None if they are not known."""
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            return self._find_flag_definition(node)
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
            return []
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None:
            return []  # A builtin.
        bound = owner.bindings[node.id]
        if self._scopes.find_imported_path(node.id) == "tensorflow":
            return []
        if len(bound) != 1 or not self._is_plain(bound[0], owner):
            return None
        assert isinstance(bound[0], ast.stmt)
        return [bound[0]]

    def _is_plain(self, bound: ast.AST, owner: Scope) -> bool:
        if isinstance(bound, ast.Import):
            return all(a.name in _IMPORTS and not a.asname for a in bound.names)
        if not isinstance(bound, ast.Assign) or owner.node not in (
            self._scopes.tree,
            *self._list_functions(),
        ):
            return False
        around = self._scopes.parents[bound]
        return isinstance(around, (ast.Module, ast.FunctionDef))

    def _list_functions(self) -> list[ast.AST]:
        return [n for n in self._scopes.tree.body if isinstance(n, ast.FunctionDef)]

    def _find_flag_definition(self, node: ast.Attribute) -> list[ast.stmt] | None:
        """The definition of the flag that an attribute reads."""
        if not isinstance(node.value, ast.Name):
            return []
        values = self._find_value(node.value)
        if values is None:
            return []
        parser = _is_parser(values)
        if (self._scopes.resolve(values) or "").endswith("flags.FLAGS"):
            found = [
                c
                for c in self._find_calls(_DEFINES)
                if _read_first_argument(c) == node.attr
            ]
        elif parser:
            calls = self._find_calls("add_argument")
            found = [c for c in calls if _read_first_argument(c) == f"--{node.attr}"]
        else:
            return []
        statements = [self._scopes.parents[c] for c in found]
        if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
            return None
        return [statements[0]]

    def _find_value(self, name: ast.Name) -> ast.expr | None:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings.get(name.id, []) if owner is not None else []
        value = bound[0].value if bound and isinstance(bound[0], ast.Assign) else None
        return value if len(bound) == 1 else None

    def _find_calls(self, name: str) -> Iterator[ast.Call]:
        for node in self._scopes.walk():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr.startswith(name):
                    yield node


def _is_parser(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _PARSES
    )


def _read_first_argument(call: ast.Call) -> object:
    return names.read_literal(call.args[0]) if call.args else None


def _find_flags(statements: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in statements:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(value, ast.Call):
            yield str(_read_first_argument(value)).removeprefix("--")


@dataclasses.dataclass(frozen=True)
class Client:
    """A client's text with the tree's cluster.

    Attributes:
      text: with the cluster's statements after the imports.
      after: the line that they follow.
      count: the number of their lines.
      found: the cluster.
    """

    text: str
    after: int
    count: int
    found: Described

    @property
    def reason(self) -> str:
        """Returns the text of the finding about it."""
        flags = ", ".join(f"--{f}" for f in self.found.flags)
        same = f": the same {flags}, with the same defaults" if flags else ""
        return f"the cluster that {self.found.file} describes{same}"


def add_described_cluster(
    text: str, path: str, known: Iterable[Described]
) -> Client | str:
    """Returns a client with the cluster of the other files, or the reason why not."""
    scopes = build_scopes(parse_source(text))
    others = {d.lines: d for d in known if d.file != os.path.basename(path)}
    if not others:
        return ""
    files = ", ".join(sorted({d.file for d in others.values()}))
    if len(others) > 1:
        return (
            f"{files} describe several clusters, and the tool cannot tell which "
            "one the client uses"
        )
    (found,) = others.values()
    targets = {
        node.value.removeprefix("grpc://")
        for node in scopes.walk()
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("grpc://")
    } - {""}
    if found.addresses and not targets <= found.addresses:
        return f"the cluster of {found.file} has no {', '.join(sorted(targets))}"
    own = set(scopes.module.bindings)
    new = build_scopes(parse_source("\n".join(found.lines)))
    clash = {n for n in new.module.bindings if n in own} - _find_same_imports(
        scopes, new
    )
    defined = {
        _read_first_argument(n)
        for n in scopes.walk()
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr.startswith((_DEFINES, "add_argument"))
    }
    clash |= {f for f in found.flags if f in defined or f"--{f}" in defined}
    if clash or scopes.find_imported_path("tf") != "tensorflow":
        shown = ", ".join(sorted(clash)) or "tf"
        return (
            f"the statements of {found.file} use names that the client uses, "
            f"too: {shown}"
        )
    after = 0
    for statement in scopes.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            after = statement.end_lineno or after
    lines = text.split("\n")
    told = ["", f"# The cluster of {found.file}, whose tasks this client places on."]
    told += [line for line in found.lines if line not in lines[:after]]
    return Client(
        "\n".join([*lines[:after], *told, *lines[after:]]), after, len(told), found
    )


def _find_same_imports(scopes: Scopes, new: Scopes) -> set[str]:
    """Returns names that both files bind by the same import."""
    return {
        name
        for name in new.module.bindings
        if new.find_imported_path(name) is not None
        and scopes.find_imported_path(name) == new.find_imported_path(name)
        and all(isinstance(b, ast.Import) for b in new.module.bindings[name])
    }
