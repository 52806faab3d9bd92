"""Imports of TensorFlow that no use of a name answers for."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from migrate.facts import modules
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, make_refusal
from migrate.plan import Dropped, Plan
from migrate.rewriting import unused
from migrate.tables import symbols as table

_UNUSED = "nothing here uses it"
_NOT_FOLLOWED = "the tool cannot follow its uses"


def is_missing_import(finding: Finding) -> bool:
    """Whether a finding is about an import that no use of a name answers for."""
    return finding.code == "T111" and finding.reason.endswith((_UNUSED, _NOT_FOLLOWED))


def report_unanswered(
    scopes: Scopes, plan: Plan, *, is_refused: bool = False
) -> Iterator[Finding]:
    """What TF2 cannot import, or what hides names, as findings of its own.

    An import whose name is used has findings where it is used; one that goes as the
    file is rewritten has none.

    Args:
      is_refused: whether something else keeps the file as it is. Once that is mended the
        file is rewritten, so its unused imports are told, and block nothing.
    """
    read = unused.read_of_module(scopes.tree)
    followed = _find_followed_names(scopes)
    rewritten = is_refused or bool(plan.suites or plan.expressions or plan.statements)
    dropped = unused.find_dropped_imports(scopes.tree) if rewritten else set()
    anywhere = unused.read_names(scopes.tree)
    for node in scopes.walk():
        if node in dropped:
            if is_refused:
                yield from _report_dropped(node)
            continue
        if isinstance(node, ast.ImportFrom) and not node.level:
            own = scopes.parents.get(node) is scopes.tree
            gone = unused.find_gone_names(node, read if own else anywhere)
            for alias in node.names if _is_tensorflow(node.module) else ():
                if rewritten and alias in gone:
                    if is_refused:
                        yield from _report_dropped(node, [alias])
                    continue
                name = alias.asname or alias.name
                if alias.name == "*":
                    yield _star(node)
                elif name not in followed:
                    yield from _report_missing(
                        node, f"{node.module}.{alias.name}", name in read
                    )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name
                if _is_tensorflow(alias.name) and not (
                    name in followed or any(f.startswith(f"{name}.") for f in followed)
                ):
                    yield from _report_missing(node, alias.name, name in read)
        elif isinstance(node, ast.Call):
            yield from _report_getattr(node, scopes)


def _report_dropped(
    node: ast.AST, names: Iterable[ast.alias] = ()
) -> Iterator[Finding]:
    """What TF2 cannot import of an import that goes by itself."""
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for alias in names or node.names:
        for found in _report_missing(node, f"{start}{alias.name}", False):
            yield dataclasses.replace(found, unused=True)


def drop_rebindings(scopes: Scopes, plan: Plan) -> dict[ast.AST, tuple[str, str]]:
    """Drops `tf = tf.compat.v1`: what a migrated program names is TensorFlow itself.

    Returns:
      The uses in such statements, each with the code and the reason of what was done.
    """
    dropped: dict[ast.AST, tuple[str, str]] = {}
    for node, symbol in scopes.walk_uses():
        statement = scopes.rebinding(node) if symbol == "tf" else None
        if statement is not None:
            plan.statements[statement] = [Dropped(statement)]
            dropped[node] = ("S117", "dropped: the program runs as TF2 does")
    return dropped


def imports_missing(scopes: Scopes) -> bool:
    """Whether the file imports from TensorFlow what TF2 has not as a public name."""
    for node in scopes.walk():
        if isinstance(node, ast.ImportFrom) and not node.level:
            paths = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            paths = [alias.name for alias in node.names]
        else:
            continue
        if any(_is_tensorflow(p) and not unused.exists(p) for p in paths):
            return True
    return False


def _is_tensorflow(module: str | None) -> bool:
    return module == "tensorflow" or (module or "").startswith("tensorflow.")


def _find_followed_names(scopes: Scopes) -> set[str]:
    """Names, and dotted paths from `import tensorflow.a.b`, that resolve where used."""
    found: set[str] = set()
    for node, _ in scopes.walk_uses():
        found.add(ast.unparse(node))
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name):
            found.add(base.id)
    return found


def _report_missing(node: ast.stmt, path: str, used: bool) -> Iterator[Finding]:
    if unused.exists(path):
        return
    use = _NOT_FOLLOWED if used else _UNUSED
    yield make_refusal(
        node,
        "T111",
        modules.canonical(path) or "",
        f"TensorFlow 2 has no public {path}, and {use}",
        "Delete the import. If another file takes the name from here, import its "
        "replacement.",
    )


def _star(node: ast.ImportFrom) -> Finding:
    return make_refusal(
        node,
        "T115",
        modules.canonical(node.module or "") or "",
        f"`from {node.module} import *` hides which names belong to TensorFlow",
        "Import the module, and write its name before each name that you use of it.",
    )


def _report_getattr(node: ast.Call, scopes: Scopes) -> Iterator[Finding]:
    """`getattr(tf, name)`; a name that is written out is a symbol as any."""
    if not (isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")):
        return
    symbol = scopes.resolve(node.args[0]) if node.args else None
    if symbol != "tf" and symbol not in table.modules():
        return
    given = node.args[1] if len(node.args) > 1 else None
    name = str(given.value) if isinstance(given, ast.Constant) else ""
    whole = f"{symbol}.{name}"
    if name and table.exists_in_target(whole):
        row = table.lookup(whole)
        if row is None or row.target == whole:
            return
    what = f"`{name}`" if name else "whichever name it is given"
    yield make_refusal(
        node,
        "T115",
        symbol,
        f"{node.func.id} looks up {what} in {symbol} when the program runs",
        "Write out the TensorFlow 2 functions that you mean, for example in a dict.",
    )
