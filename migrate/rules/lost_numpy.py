"""D167: names that NumPy does not have any more, in what is migrated.

    np.zeros(3, dtype=np.float)  ->  np.zeros(3, dtype=float)

They are code of the host, which no other rule touches. So they are replaced in the text of
the result, where it is one; the file of a refused program stays as it is.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator

from migrate.facts.element_values import list_values
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.plan import Plan
from migrate.program.code import Code, make_code
from migrate.rewriting.splice import splice_text
from migrate.rules import lost_python, ragged_arrays
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import lost_numpy as table
from migrate.tables import lost_python as lost_python_table

CODE = "D167"
_NUMPY = "numpy."


@dataclasses.dataclass(frozen=True)
class _Use:
    """One use of such a name.

    Attributes:
      node: the place where it is named.
      name: NumPy's name, with its module.
      replaced: the expression that is written anew, and its new form; None if nothing has
        the same meaning.
      recipe: what to do then.
    """

    node: ast.expr
    name: str
    replaced: tuple[ast.expr, Code] | None
    recipe: str


def mend(text: str, done: Migration) -> Migration:
    """Returns a migration without the names that NumPy and Python no longer have.

    Args:
      text: the file as it was.
    """
    data = text.encode("utf-8", "surrogatepass")
    hindered = any(f.blocks or f.outcome is Outcome.FAILED for f in done.findings)
    if hindered or not (
        table.is_mentioned(data) or lost_python_table.is_mentioned(data)
    ):
        return done
    scopes = build_scopes(parse_source(text))
    found = list(_find_uses(scopes))
    told = [
        *map(_tell, found),
        *lost_python.find_lost(scopes),
        *ragged_arrays.find_ragged(scopes),
        *ragged_arrays.find_given(scopes),
    ]
    if not told:
        return done
    tree, plan = parse_source(done.text), Plan()
    for use in _find_uses(build_scopes(tree)):
        if use.replaced is not None:
            plan.replace(*use.replaced)
    new = splice_text(done.text, tree, plan) if plan.expressions else None
    new = ragged_arrays.write_attempts(new or done.text)
    findings = tuple(sorted([*done.findings, *told]))
    return dataclasses.replace(done, text=new, findings=findings)


def _find_uses(scopes: Scopes) -> Iterator[_Use]:
    # Before Python 3.12, code in an f-string has wrong positions.
    shown = {
        inner
        for node in scopes.walk()
        if isinstance(node, ast.JoinedStr)
        for inner in walk_breadth_first(node)
    }
    own = {n.name for n in scopes.walk() if isinstance(n, ast.FunctionDef)}
    for node in scopes.walk():
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if scopes.import_path(node.value) == "numpy":
            found = _find_use(node, scopes)
        elif node.attr not in own:
            found = _find_method(node, scopes)
        else:
            continue
        if found is not None and node in shown:
            found = dataclasses.replace(found, replaced=None)
        if found is not None:
            yield found


def _find_use(node: ast.Attribute, scopes: Scopes) -> _Use | None:
    """A name, or an argument, that NumPy lost."""
    name = f"{_NUMPY}{node.attr}"
    if node.attr in table.NAMES:
        return _Use(node, name, _replace(node, scopes), _find_recipe(node.attr))
    call = scopes.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None
    new = table.ARGUMENTS.get(node.attr, {})
    told = table.LOST_ARGUMENTS.get(node.attr, {})
    for keyword in call.keywords:
        word = keyword.arg or ""
        if word in told:
            return _Use(node, f"{name}({word})", None, told[word])
        if word in new:
            recipe = (
                f"Write {new[word]}=."
                if new[word]
                else "Give the value as the second argument, without a name."
            )
            replaced = _replace_argument(call, keyword, new[word])
            return _Use(node, f"{name}({word})", replaced, recipe)
    return None


def _find_method(node: ast.Attribute, scopes: Scopes) -> _Use | None:
    """A method of arrays that NumPy lost."""
    call = scopes.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None
    if scopes.import_path(node.value):
        return None  # A function of another module, as in `ElementTree.tostring(root)`.
    name = f"{_NUMPY}ndarray.{node.attr}"
    if node.attr in table.METHODS and not call.args:
        new = table.METHODS[node.attr]
        code = make_code(node.value, f".{new}")
        return _Use(node, name, (node, code), f"Write {new}.")
    if node.attr in table.LOST_METHODS and not _is_dtype(node.value, scopes):
        return _Use(node, name, None, table.LOST_METHODS[node.attr])
    return None


def _is_dtype(node: ast.expr, scopes: Scopes) -> bool:
    """Whether a value is a NumPy dtype, which still has `newbyteorder`."""
    if isinstance(node, ast.Name):
        made = list_values(node, scopes)
        return bool(made) and all(_is_dtype(value, scopes) for value in made)
    if isinstance(node, ast.Attribute):
        return node.attr == "dtype"
    return isinstance(node, ast.Call) and scopes.import_path(node.func) == "numpy.dtype"


def _replace_argument(
    call: ast.Call, changed: ast.keyword, name: str
) -> tuple[ast.expr, Code] | None:
    """Returns a call and its new code; None if the argument's place is not the second."""
    if not name and (len(call.args) != 1 or call.keywords[0] is not changed):
        return None
    parts: list[str | ast.expr | Code] = [call.func, "("]
    for argument in call.args:
        parts += [argument, ", "]
    for keyword in call.keywords:
        word = name if keyword is changed else keyword.arg
        prefix = "**" if word is None else f"{word}=" if word else ""
        parts += [prefix, keyword.value, ", "]
    return call, make_code(*parts[:-1], ")")


def _replace(node: ast.Attribute, scopes: Scopes) -> tuple[ast.expr, Code] | None:
    """Returns the expression to replace, a name or its call, and the new code; or None."""
    name = node.attr
    if name in table.BUILTINS:
        builtin = table.BUILTINS[name]
        if scopes.find_scope(node).find_owner(builtin) is not None:
            return None  # The file itself uses this name for something else.
        return node, make_code(builtin)
    if name in table.RENAMED:
        return node, make_code(node.value, f".{table.RENAMED[name]}")
    if name in table.NUMBERS:
        return node, _fill(table.NUMBERS[name], node.value)
    call = scopes.parents.get(node)
    if name in table.CALLS and isinstance(call, ast.Call) and call.func is node:
        if len(call.args) == 1 and not call.keywords:
            if not isinstance(call.args[0], ast.Starred):
                return call, _fill(table.CALLS[name], node.value, call.args[0])
    return None


def _fill(template: str, module: ast.expr, value: ast.expr | None = None) -> Code:
    parts: list[str | ast.expr | Code] = []
    for text in re.split(r"(\{np\}|\{value\})", template):
        if text == "{np}":
            parts.append(module)
        elif text == "{value}" and value is not None:
            parts.append(value)
        else:
            parts.append(text)
    return make_code(*parts)


def _tell(use: _Use) -> Finding:
    what = "argument" if "(" in use.name else "name"
    what = "method" if ".ndarray." in use.name else what
    return Finding(
        use.node.lineno,
        use.node.col_offset + 1,
        CODE,
        Outcome.WARNED if use.replaced is None else Outcome.REWRITTEN,
        use.name,
        f"NumPy does not have this {what} any more. TensorFlow 2.15 runs with NumPy 1.26, "
        "and TensorFlow 2.21 with NumPy 2",
        use.recipe if use.replaced is None else "",
    )


def _find_recipe(name: str) -> str:
    """Returns what to do about a name that stays: in an f-string, for example."""
    if name in table.BUILTINS:
        builtin = table.BUILTINS[name]
        return (
            f"Write {builtin}, Python's own type. If the file uses the name {builtin} for "
            "something else, rename that first."
        )
    if name in table.RENAMED:
        return f"Write np.{table.RENAMED[name]}."
    written = table.NUMBERS.get(name) or table.CALLS.get(name)
    if written is not None:
        return f"Write {written.format(np='np', value='x')}."
    return table.RECIPES.get(name, table.RECIPE)
