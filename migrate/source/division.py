"""Rewrites Python 2's `/` as `//` if it divided two integers.

A division with a float stays. Any other division cannot be decided: it stays, too, and
its line is reported.
"""

from __future__ import annotations

import ast
import re

from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.source.nodes import walk_breadth_first

_FUTURE = re.compile(r"^from __future__ import\s+(?:\(([^)]*)\)|(.*))", re.MULTILINE)
# What gives an integer or a float in Python 2, whatever it is given.
_INTEGERS = frozenset({"len", "int", "ord", "hash", "id"})
_FLOATS = frozenset({"float", "round"})
_FLOATS_OF = {
    "math": frozenset(
        {"acos", "asin", "atan", "atan2", "ceil", "cos", "exp", "fabs", "floor"}
        | {"fmod", "fsum", "hypot", "log", "log10", "log1p", "pi", "e", "pow"}
        | {"radians", "degrees", "sin", "sqrt", "tan", "tanh"}
    ),
    "numpy": frozenset({"pi", "e"}),  # Its functions give arrays of integers, too.
    "random": frozenset({"gauss", "random", "uniform", "normalvariate"}),
    "time": frozenset({"clock", "time"}),
    "timeit": frozenset({"default_timer"}),
    "tensorflow": frozenset({"to_double", "to_float"}),
}
# In Python 2 these return an integer if all operands are integers.
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_SAME = frozenset({"abs", "max", "min"})
_RANGES = frozenset({"range", "xrange"})
_DEFINES = {"DEFINE_integer": "integer", "DEFINE_float": "float"}


def is_true_division(text: str) -> bool:
    """Whether a module imports Python 3's division."""
    return any(
        "division" in re.split(r"[\s,\\]+", inside or after)
        for inside, after in _FUTURE.findall(text)
    )


def write_floors(text: str, tree: ast.Module) -> tuple[str, list[int]]:
    """Writes `//` where integers are divided; returns the text and the unsure lines."""
    kinds = _Kinds(tree)
    lines = text.encode().split(b"\n")
    unclear: set[int] = set()
    floored: list[ast.expr] = []
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = node.left, node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            left, right = node.target, node.value
        else:
            continue
        sides = {kinds.classify(left), kinds.classify(right)}
        if "float" in sides:
            continue
        if sides == {"integer"} and left.end_lineno == right.lineno:
            floored.append(left)
        else:
            unclear.add(node.lineno)
    # From the right, so that no column moves before its turn.
    for left in sorted(floored, key=lambda node: -(node.end_col_offset or 0)):
        assert left.end_lineno is not None and left.end_col_offset is not None
        line = lines[left.end_lineno - 1]
        at = line.index(b"/", left.end_col_offset)
        lines[left.end_lineno - 1] = line[:at] + b"/" + line[at:]
    return b"\n".join(lines).decode(), sorted(unclear)


class _Kinds:
    """The kinds of a module's expressions: integers, floats, or unknown."""

    def __init__(self, tree: ast.Module) -> None:
        self._scopes: Scopes = build_scopes(tree)
        # Names that functions bind for others cannot be followed.
        self._elsewhere = {
            name
            for node in walk_breadth_first(tree)
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        }
        self._asked: dict[tuple[int, str], str] = {}
        self._flags: dict[str, str] = {}
        self._stars = False
        for node in walk_breadth_first(tree):
            if isinstance(node, ast.Call):
                self._read_flag(node)
            elif isinstance(node, ast.ImportFrom):
                self._stars |= node.names[0].name == "*"
        for node in walk_breadth_first(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self._flags.pop(node.attr, None)  # Perhaps `FLAGS.size = 0.5`.

    def _read_flag(self, call: ast.Call) -> None:
        name = call.args[0] if call.args else None
        if not isinstance(name, ast.Constant) or not isinstance(
            call.func, ast.Attribute
        ):
            return
        kind = _DEFINES.get(call.func.attr, "")
        default = call.args[1] if len(call.args) > 1 else None
        if isinstance(default, ast.Constant) and default.value is None:
            kind = ""
        if isinstance(name.value, str) and call.func.attr.startswith("DEFINE_"):
            known = self._flags.setdefault(name.value, kind)
            self._flags[name.value] = kind if kind == known else ""

    def classify(self, node: ast.expr) -> str:
        """Returns "integer" or "float", or "" if the kind is unknown."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int):
                return "integer"
            return "float" if isinstance(node.value, float | complex) else ""
        if isinstance(node, ast.UnaryOp):
            return (
                "integer"
                if isinstance(node.op, ast.Not)
                else self.classify(node.operand)
            )
        if isinstance(node, ast.BinOp):
            return self._classify_operation(
                node.op, self.classify(node.left), self.classify(node.right)
            )
        if isinstance(node, ast.IfExp):
            kind = self.classify(node.body)
            return kind if kind == self.classify(node.orelse) else ""
        if isinstance(node, ast.Call):
            return self._classify_call(node)
        if isinstance(node, ast.Attribute):
            return self._classify_attribute(node)
        if isinstance(node, ast.Name):
            return self._classify_name(node)
        return ""

    def _classify_operation(self, op: ast.operator, left: str, right: str) -> str:
        if "float" in (left, right):
            return "float"
        if left == right == "integer" and isinstance(op, _WHOLE):
            return "integer"
        return ""

    def _classify_call(self, call: ast.Call) -> str:
        name = self._find_builtin(call.func)
        if name in _INTEGERS:
            return "integer"
        if name in _FLOATS:
            return "float"
        if name in _SAME and len(call.args) > 1 - (name == "abs"):
            kinds = {self.classify(argument) for argument in call.args}
            return kinds.pop() if len(kinds) == 1 else ""
        return self._look_up_kind(call.func)

    def _classify_attribute(self, node: ast.Attribute) -> str:
        if (self._scopes.resolve(node.value) or "").endswith("flags.FLAGS"):
            return self._flags.get(node.attr, "")
        return self._look_up_kind(node)

    def _look_up_kind(self, node: ast.expr) -> str:
        module, _, name = self._find_path(node).rpartition(".")
        return "float" if name in _FLOATS_OF.get(module, ()) else ""

    def _classify_name(self, node: ast.Name) -> str:
        scope = self._scopes.find_scope(node)
        owner = scope.find_owner(node.id)
        if owner is None or node.id in self._elsewhere:
            return ""
        key = (id(owner), node.id)
        if key not in self._asked:
            # `n = n + 1`: the name itself says nothing against either.
            found = ""
            for kind in ("integer", "float"):
                self._asked[key] = kind
                found = self._classify_bindings(owner, node.id)
                if found == kind:
                    break
                # What was concluded from this name does not hold.
                self._asked = {k: v for k, v in self._asked.items() if v != kind}
                found = ""
            self._asked[key] = found
        return self._asked[key]

    def _classify_bindings(self, owner: Scope, name: str) -> str:
        if isinstance(owner.node, ast.ClassDef):
            return ""
        kinds = {self._classify_binding(b, name) for b in owner.bindings[name]}
        return kinds.pop() if len(kinds) == 1 else ""

    def _classify_binding(self, binding: ast.AST, name: str) -> str:
        if isinstance(binding, ast.Assign):
            alone = all(isinstance(t, ast.Name) for t in binding.targets)
            return self.classify(binding.value) if alone else ""
        if isinstance(binding, ast.AugAssign) and isinstance(binding.target, ast.Name):
            own = self.classify(self._scopes.read(binding.target))
            return self._classify_operation(
                binding.op, own, self.classify(binding.value)
            )
        if isinstance(binding, ast.For) and isinstance(binding.iter, ast.Call):
            called, target = self._find_builtin(binding.iter.func), binding.target
            if called in _RANGES and isinstance(target, ast.Name):
                return "integer"
            if called == "enumerate" and isinstance(target, ast.Tuple):
                first = target.elts[0]
                alone = isinstance(first, ast.Name) and first.id == name
                starts = len(binding.iter.args) == 1 and not binding.iter.keywords
                return "integer" if alone and starts else ""
        return ""

    def _find_builtin(self, node: ast.expr) -> str:
        """The name of a builtin function, "" of what the module names so itself."""
        if not isinstance(node, ast.Name):
            return ""
        hidden = self._stars and node.id in _SAME | _FLOATS  # numpy's have these names.
        owner = self._scopes.find_scope(node).find_owner(node.id)
        return node.id if owner is None and not hidden else ""

    def _find_path(self, node: ast.expr) -> str:
        """`math.sqrt`, whatever name it is imported under."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bindings = owner.bindings[node.id] if owner is not None else []
        paths = {_find_imported(binding, node.id) for binding in bindings}
        base = paths.pop() if len(paths) == 1 else ""
        return ".".join([base, *attributes]) if base else ""


def _find_imported(binding: ast.AST, name: str) -> str:
    if not isinstance(binding, ast.Import | ast.ImportFrom):
        return ""
    for alias in binding.names:
        if isinstance(binding, ast.ImportFrom):
            if (alias.asname or alias.name) == name and not binding.level:
                return f"{binding.module}.{alias.name}"
        elif alias.asname == name:
            return alias.name
        elif alias.asname is None and alias.name.partition(".")[0] == name:
            return name
    return ""
