"""Reports imports of TensorFlow that no use of a name accounts for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import modules
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, make_refusal
from migrate.plan import Dropped, Plan
from migrate.rewriting import unused
from migrate.source.nodes import find_plain_names
from migrate.tables import symbols as table

_NOT_FOLLOWED = "the tool cannot follow its uses"


def is_missing_import(finding: Finding) -> bool:
    """Whether a finding is about an import whose uses are not followed."""
    return finding.code == "T111" and finding.reason.endswith(_NOT_FOLLOWED)


def report_unanswered(scopes: Scopes) -> Iterator[Finding]:
    """Reports imports that TF2 lacks, and imports that hide names.

    An import whose name is used has findings at the uses. One that nothing uses is removed or
    reported when the file is done: see `migrate.unused_imports`.
    """
    read = unused.read_of_module(scopes.tree)
    anywhere = find_plain_names(scopes.tree, ast.Load)
    followed = _find_followed_names(scopes)
    for node in scopes.walk():
        if isinstance(node, ast.ImportFrom) and not node.level:
            own = scopes.parents.get(node) is scopes.tree
            for alias in node.names if _is_tensorflow(node.module) else ():
                name = alias.asname or alias.name
                if alias.name == "*":
                    yield _refuse_star(node)
                elif name not in followed and name in (read if own else anywhere):
                    yield from _report_missing(node, f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name
                if _is_tensorflow(alias.name) and name in read and name not in followed:
                    yield from _report_missing(node, alias.name)
        elif isinstance(node, ast.Call):
            yield from _report_getattr(node, scopes)


def drop_rebindings(scopes: Scopes, plan: Plan) -> dict[ast.AST, tuple[str, str]]:
    """Drops `tf = tf.compat.v1`: a migrated program names TensorFlow itself.

    Returns:
      The uses in such statements, each with the code and the reason of the change.
    """
    dropped: dict[ast.AST, tuple[str, str]] = {}
    for node, symbol in scopes.walk_uses():
        statement = scopes.find_rebinding(node) if symbol == "tf" else None
        if statement is not None:
            plan.statements[statement] = [Dropped(statement)]
            dropped[node] = ("S117", "dropped: the program runs as TF2 does")
    return dropped


def imports_missing(scopes: Scopes) -> bool:
    """Whether the file imports something from TensorFlow that is not public in TF2."""
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
    """Returns used names that resolve, and paths from `import tensorflow.a.b`."""
    found: set[str] = set()
    for node, _ in scopes.walk_uses():
        found.add(ast.unparse(node))
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name):
            found.add(base.id)
    return found


def _report_missing(node: ast.stmt, path: str) -> Iterator[Finding]:
    if not unused.exists(path):
        yield make_refusal(
            node,
            "T111",
            modules.make_canonical(path) or "",
            f"TensorFlow 2 has no public {path}, and {_NOT_FOLLOWED}",
            "Import its replacement, and bind the name only there.",
        )


def _refuse_star(node: ast.ImportFrom) -> Finding:
    return make_refusal(
        node,
        "T115",
        modules.make_canonical(node.module or "") or "",
        f"`from {node.module} import *` hides which names belong to TensorFlow",
        "Import the module, and write its name before each name that you use of it.",
    )


def _report_getattr(node: ast.Call, scopes: Scopes) -> Iterator[Finding]:
    """Reports `getattr(tf, name)`, unless a literal name exists in TF2."""
    if not (isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")):
        return
    symbol = scopes.resolve(node.args[0]) if node.args else None
    if symbol != "tf" and symbol not in table.list_modules():
        return
    given = node.args[1] if len(node.args) > 1 else None
    name = str(given.value) if isinstance(given, ast.Constant) else ""
    whole = f"{symbol}.{name}"
    if name and table.exists_in_target(whole):
        row = table.look_up(whole)
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
