"""The Python files of one TensorFlow, as they are on disk, and what each name in them is.

Nothing of TensorFlow is imported: so files of TensorFlow 1.15.5, 2.15.1 and 2.21 are read
by one parser, and their texts can be compared. See `reference/kept_names.py`.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import pathlib
from collections.abc import Iterator

TOP = "tensorflow.python"
# Tests, and what is a program of its own.
_NO_FOLDERS = frozenset({"api", "examples", "kernel_tests", "testdata"})
_KERAS = "keras"
_DECORATORS_OF_EXPORT = frozenset({"tf_export", "keras_export"})


@dataclasses.dataclass(frozen=True)
class Named:
    """The definition that a name leads to.

    Attributes:
      module: the file that defines it.
      name: by which that file has it; "" where it is the module itself.
      node: the statement that defines it.
    """

    module: str
    name: str
    node: ast.stmt | None = None


@dataclasses.dataclass
class Module:
    """One file: what it defines and what it imports at its top."""

    name: str
    defined: dict[str, ast.stmt] = dataclasses.field(default_factory=dict)
    # Local name -> (module, name in it; "" for the module itself).
    imported: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    stars: list[str] = dataclasses.field(default_factory=list)
    # Names that are bound more than once: which of them counts is not known.
    unsure: set[str] = dataclasses.field(default_factory=set)
    exports: dict[str, frozenset[str]] = dataclasses.field(default_factory=dict)

    @property
    def makes_ops(self) -> bool:
        """Whether its functions are generated from the definitions of operations."""
        leaf = self.name.rpartition(".")[2]
        return leaf.startswith("gen_") and leaf.endswith("ops")


class Sources:
    """TensorFlow's files below a directory.

    Args:
      package: the directory that stands for `tensorflow`.
    """

    def __init__(self, package: pathlib.Path) -> None:
        self._package = package

    def list_modules(self, keras: bool = False) -> list[str]:
        """Every module below `tensorflow.python` that is no test's.

        Args:
          keras: whether those of Keras are asked for, or all others.
        """
        found = []
        for path in self._package.joinpath("python").rglob("*.py"):
            parts = path.relative_to(self._package).with_suffix("").parts
            if _NO_FOLDERS & set(parts) or parts[-1].endswith("_test"):
                continue
            if (_KERAS in parts) is not keras:
                continue
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found.append(".".join(("tensorflow", *parts)))
        return sorted(set(found))

    def _find_file(self, module: str) -> pathlib.Path | None:
        top, _, rest = module.partition(".")
        if top != "tensorflow" or not rest.startswith("python"):
            return None
        base = self._package.joinpath(*rest.split("."))
        for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if path.is_file():
                return path
        return None

    @functools.cache  # noqa: B019  One object for each TensorFlow.
    def is_module(self, name: str) -> bool:
        """Whether a dotted name is a file, or a folder without one."""
        if self._find_file(name) is not None:
            return True
        parts = name.split(".")
        return (
            parts[:2] == TOP.split(".") and self._package.joinpath(*parts[1:]).is_dir()
        )

    @functools.cache  # noqa: B019
    def module(self, name: str) -> Module | None:
        """Reads the names of a file; None if there is no such file."""
        path = self._find_file(name)
        if path is None:
            return Module(name) if self.is_module(name) else None
        found = Module(name)
        for node, certain in _walk_top(ast.parse(path.read_bytes()).body):
            before = set(found.defined)
            self._add(found, node)
            if not certain:
                found.unsure |= set(found.defined) - before
        return found

    def _add(self, found: Module, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.partition(".")[0]
                _bind(found, local)
                found.imported[local] = (alias.name if alias.asname else local, "")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    found.stars.append(node.module or "")
                    continue
                whole = f"{node.module}.{alias.name}"
                local = alias.asname or alias.name
                _bind(found, local)
                found.imported[local] = (
                    (whole, "")
                    if self.is_module(whole)
                    else (node.module or "", alias.name)
                )
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            _bind(found, node.name)
            found.defined[node.name] = node
            found.exports[node.name] = _list_exports(node.decorator_list)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    _bind(found, target.id)
                    found.defined[target.id] = node
        elif isinstance(node, ast.Expr):
            _add_exports_of_call(found, node.value)

    @functools.cache  # noqa: B019
    def resolve(self, module: str, name: str) -> Named | None:
        """Finds the definition of a module's name; None if it is unknown."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            found = self.module(module)
            if found is None:
                if self.is_module(f"{module}.{name}"):
                    return Named(f"{module}.{name}", "")
                return None
            if name in found.unsure:
                return None
            if name in found.imported:
                module, name = found.imported[name]
                if not name:
                    return Named(module, "")
                if not module.startswith(TOP):
                    return Named(module, name)
                continue
            if name in found.defined:
                other = self._find_other_name(found, found.defined[name])
                if other is not None and other != (module, name):
                    module, name = other
                    continue
                return Named(module, name, found.defined[name])
            star = self._find_in_stars(found, name)
            if star is None and self.is_module(f"{module}.{name}"):
                return Named(f"{module}.{name}", "")
            return star
        return None

    def _find_other_name(self, found: Module, node: ast.stmt) -> tuple[str, str] | None:
        """The module and name of `b` in `a = b`, or of `a = module.b`."""
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Name):
            if value.id in found.defined or value.id in found.imported:
                return found.name, value.id
        elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            module, name = found.imported.get(value.value.id, ("", ""))
            if module.startswith(TOP) and not name:
                return module, value.attr
        return None

    def _find_in_stars(self, found: Module, name: str) -> Named | None:
        for star in reversed(found.stars):
            if star.startswith(TOP) and name in self._list_offered(star):
                return self.resolve(star, name)
        return None

    @functools.cache  # noqa: B019
    def list_names(self, module: str) -> frozenset[str]:
        """The names of a module, but for modules that it imports."""
        found = self.module(module)
        if found is None:
            return frozenset()
        names = {*found.defined, *(n for n, (_, of) in found.imported.items() if of)}
        for star in found.stars:
            if star.startswith(TOP) and star != module:
                names |= self._list_offered(star)
        return frozenset(n for n in names if not n.startswith("__"))

    @functools.cache  # noqa: B019
    def _list_offered(self, module: str) -> frozenset[str]:
        """The names that a star brings from a module."""
        found = self.module(module)
        names = frozenset(n for n in self.list_names(module) if n[0] != "_")
        if found is None or "__all__" not in found.defined:
            return names
        value = getattr(found.defined["__all__"], "value", None)
        try:
            listed = frozenset(ast.literal_eval(value)) if value else frozenset()
        except ValueError:
            return frozenset()  # It is computed.
        return frozenset() if "__all__" in found.unsure else listed

    def list_exports(self, named: Named) -> frozenset[str]:
        """Names under which TensorFlow 1's interface has something."""
        found = self.module(named.module)
        return found.exports.get(named.name, frozenset()) if found else frozenset()


def _bind(found: Module, name: str) -> None:
    if name in found.defined or name in found.imported:
        found.unsure.add(name)


def _walk_top(
    body: list[ast.stmt], certain: bool = True
) -> Iterator[tuple[ast.stmt, bool]]:
    """Statements that run when a file is imported; False for those under conditions."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _walk_top([*node.body, *node.orelse], False)
        elif isinstance(node, ast.Try):
            yield from _walk_top([*node.body, *node.orelse, *node.finalbody], False)
            for handler in node.handlers:
                yield from _walk_top(handler.body, False)
        elif isinstance(node, ast.With):
            yield from _walk_top(node.body, certain)
        else:
            yield node, certain


def last_name(node: ast.expr) -> str:
    """`x` of `x`, of `a.x` and of `a.x(...)`."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _list_exports(decorators: list[ast.expr]) -> frozenset[str]:
    found: set[str] = set()
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and (
            last_name(decorator) in _DECORATORS_OF_EXPORT
        ):
            found |= _list_exports_of(decorator)
    return frozenset(found)


def _list_exports_of(call: ast.Call) -> frozenset[str]:
    """TensorFlow 1's names of `@tf_export("a", "b", v1=["c"])`: `c` where there is one."""
    for keyword in call.keywords:
        if keyword.arg == "v1":
            try:
                return frozenset(ast.literal_eval(keyword.value))
            except ValueError:
                return frozenset()
    return frozenset(
        a.value
        for a in call.args
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    )


def _add_exports_of_call(found: Module, node: ast.expr) -> None:
    """`tf_export("x")(name)`, `tf_export("x").export_constant(__name__, "X")`."""
    if not isinstance(node, ast.Call):
        return
    inner = node.func
    name = ""
    if isinstance(inner, ast.Attribute) and inner.attr == "export_constant":
        inner = inner.value
        if isinstance(node.args[-1], ast.Constant):
            name = str(node.args[-1].value)
    elif node.args and isinstance(node.args[0], ast.Name):
        name = node.args[0].id
    if (
        name
        and isinstance(inner, ast.Call)
        and last_name(inner) in _DECORATORS_OF_EXPORT
    ):
        found.exports[name] = _list_exports_of(inner)
