"""Writes the calls that make savers, with the lists of their variables."""

from __future__ import annotations

import ast

from migrate.backends.direct_steps.savers import Saved
from migrate.program.code import Code, join_code, make_code

_WIDTH = 88


def write_list(saved: Saved) -> str:
    """Writes the list of a saver's variables in one line."""
    if len(saved.variables) == 1 and saved.variables[0].startswith("*"):
        return saved.variables[0][1:]
    return "[" + ", ".join(saved.variables) + "]"


def write_saver(saved: Saved, call: ast.Call, tf: str, column: int) -> Code:
    """Writes the call that makes a saver, in a statement that begins at a column."""
    rest = [
        make_code(k.arg, "=", k.value)
        for k in call.keywords
        if k.arg is not None and k.arg != "var_list"
    ]
    function = f"{tf}.compat.v1.train.Saver("
    if saved.given is not None:
        return make_code(function, join_code(", ", [saved.given, *rest]), ")")
    given = write_list(saved)
    options = "".join(f", {ast.unparse(k)}" for k in call.keywords)
    if column + len(f"saver = {function}{given}{options})") <= _WIDTH:
        return make_code(function, join_code(", ", [given, *rest]), ")")
    line = "\n" + " " * (column + 4)
    many: str | Code = given
    if column + len(given) >= _WIDTH - 4:
        inner = "".join(f"{line}    {variable}," for variable in saved.variables)
        many = make_code("[", inner, line, "]")
    parts = join_code("," + line, [many, *rest])
    return make_code(function, line, parts, ",\n" + " " * column, ")")
