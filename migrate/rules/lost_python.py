"""D167: names that Python does not have any more, in what is migrated.

    start = time.clock()    from collections import Mapping

They are told, and not replaced: code that asks for Python's version may have both names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.tables import lost_python as table

CODE = "D167"
_REASON = (
    "Python 3.11 does not have this name any more. TensorFlow 1.15 runs with Python 3.7 "
    "or earlier"
)
# What asks which Python runs, or whether there is such a name.
_ASKS = frozenset({"version_info", "PY2", "PY3", "PY34", "hasattr", "hexversion"})


def find_lost(scopes: Scopes) -> Iterator[Finding]:
    """The uses of such names that nothing guards."""
    for node in scopes.walk():
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute):
            continue
        for name in _list_names(node, scopes):
            if name in table.LOST and not _is_guarded(node, scopes):
                yield Finding(
                    node.lineno,
                    node.col_offset + 1,
                    CODE,
                    Outcome.WARNED,
                    name,
                    _REASON,
                    table.LOST[name],
                )


def _list_names(
    node: ast.Import | ast.ImportFrom | ast.Attribute, scopes: Scopes
) -> list[str]:
    """The dotted names that an import or an attribute asks Python for."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "" if node.level else node.module or ""
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    if not isinstance(node.ctx, ast.Load):
        return []
    return [f"{scopes.import_path(node.value)}.{node.attr}"]


def _is_guarded(node: ast.AST, scopes: Scopes) -> bool:
    """Whether something is done if the name is missing, or it is used only if it is there."""
    below = node
    for above in scopes.walk_above(node):
        if isinstance(above, ast.Try) and above.handlers and below in above.body:
            return True
        if isinstance(above, ast.ExceptHandler):
            return True
        if isinstance(above, ast.If | ast.IfExp) and below is not above.test:
            asked = {
                getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(above.test)
            }
            if asked & _ASKS:
                return True
        below = above
    return False
