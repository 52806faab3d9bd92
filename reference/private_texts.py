"""Whether two TensorFlows' private names mean the same, by the text of their definitions.

A definition is brought to one form: without documentation, annotations and decorators that
only export or warn, with Python 2's spellings as Python 3's. What it names of TensorFlow is
taken out of the text and followed: each such name has to lead to the same on both sides, to
a public name of TensorFlow 1's interface, or to an operation's generated function.
"""

from __future__ import annotations

import ast
import dataclasses
import functools

from reference.private_sources import TOP, Named, Sources, last_name

# Decorators that change nothing of what a call computes.
_SILENT = frozenset(
    {"tf_export", "estimator_export", "deprecated", "deprecated_args"}
    | {"deprecated_endpoints", "deprecated_arg_values", "deprecated_alias"}
    | {"add_dispatch_support", "add_dispatch_list", "register_dispatchable_type"}
    | {"add_fallback_dispatch_list", "dispatch_for_api", "filter_traceback"}
    | {"do_not_generate_docs", "do_not_doc_inheritable", "add_metaclass"}
    | {"trace_wrapper", "for_subclass_implementers", "for_unary_elementwise_apis"}
)
_SIX = {"string_types": "str", "integer_types": "int", "text_type": "str"}
_SIX |= {"binary_type": "bytes"}
_SIX_METHODS = {"iteritems": "items", "itervalues": "values", "iterkeys": "keys"}
_HOLE = "__named__"
Part = tuple[str, str]  # module, name


@dataclasses.dataclass(frozen=True)
class Form:
    """A definition in one form: its text with holes, and what stands in them."""

    text: str
    names: tuple[Named | Part, ...]


class _Former(ast.NodeTransformer):
    """Rewrites one definition.

    Args:
      sources: the TensorFlow that it is of.
      module: the file that it stands in.
      local: names that the definition binds itself.
    """

    def __init__(self, sources: Sources, module: str, local: set[str]) -> None:
        self._sources = sources
        self._module = module
        self._local = local
        self.names: list[Named | Part] = []

    def _visit_function(self, node: ast.FunctionDef | ast.Lambda) -> ast.AST:
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            node.decorator_list = [
                d for d in node.decorator_list if last_name(d) not in _SILENT
            ]
            node.body = _without_text(node.body)
        for parameter in _parameters(node.args):
            parameter.annotation = None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._visit_function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._visit_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [
            d for d in node.decorator_list if last_name(d) not in _SILENT
        ]
        node.keywords = [k for k in node.keywords if k.arg != "metaclass"]
        node.bases = [
            b for b in node.bases if not (isinstance(b, ast.Name) and b.id == "object")
        ]
        node.body = _without_text(node.body)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value, lineno=0))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            node.args = []
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id == "six"
            and function.attr in _SIX_METHODS
            and len(node.args) == 1
        ):
            method = ast.Attribute(
                node.args[0], _SIX_METHODS[function.attr], ast.Load()
            )
            return self.generic_visit(ast.Call(method, [], []))
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._fill(node, [node.id]) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        parts: list[str] = []
        value: ast.expr = node
        while isinstance(value, ast.Attribute):
            parts.insert(0, value.attr)
            value = value.value
        if isinstance(value, ast.Name):
            if value.id == "six" and parts[0] in _SIX:
                return ast.Name(_SIX[parts[0]], ast.Load())
            filled = self._fill(value, [value.id, *parts])
            if filled is not None:
                return filled
        return self.generic_visit(node)

    def _fill(self, node: ast.Name, parts: list[str]) -> ast.expr | None:
        """A hole for what a chain names of the file, with the attributes that follow."""
        if node.id in self._local:
            return None
        found = self._sources.module(self._module)
        assert found is not None
        if node.id not in found.defined and node.id not in found.imported:
            if self._sources.resolve(self._module, node.id) is None:
                return None  # A built-in.
        named: Named | Part | None = self._sources.resolve(self._module, parts[0])
        rest = parts[1:]
        while isinstance(named, Named) and not named.name:
            if not named.module.startswith(TOP):
                break
            if not rest:
                break
            named = self._sources.resolve(named.module, rest[0]) or (
                named.module,
                rest[0],
            )
            rest = rest[1:]
        if named is None:
            named = (self._module, parts[0])
        if isinstance(named, Named) and not named.module.startswith(TOP):
            # Python's library and others: their own names stand in the text.
            whole = ".".join(filter(None, (named.module, named.name)))
            new: ast.expr = ast.Name(whole, ast.Load())
        else:
            self.names.append(named)
            new = ast.Name(_HOLE, ast.Load())
        for attribute in rest:
            new = ast.Attribute(new, attribute, ast.Load())
        return new


@functools.cache
def list_parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    """Parameters with their defaults, as they are written."""
    arguments = node.args
    by_place = [*arguments.posonlyargs, *arguments.args]
    gap = [None] * (len(by_place) - len(arguments.defaults))
    found = [
        p.arg if default is None else f"{p.arg}={ast.unparse(default)}"
        for p, default in zip(by_place, [*gap, *arguments.defaults], strict=True)
    ]
    if arguments.vararg:
        found.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        found.append("*")
    found += [
        p.arg if default is None else f"{p.arg}={ast.unparse(default)}"
        for p, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    return tuple(found + (["**"] if arguments.kwarg else []))


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [*found, *filter(None, (arguments.vararg, arguments.kwarg))]


def _without_text(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without texts that stand alone, and without `pass`."""
    return [
        node
        for node in body
        if not isinstance(node, ast.Pass)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ] or [ast.Pass()]


def _find_local_names(node: ast.AST) -> set[str]:
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            found.add(inner.arg)
        elif isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            found.add(inner.id)
        elif isinstance(inner, ast.Global):
            found -= set(inner.names)
        elif isinstance(inner, (ast.FunctionDef, ast.ClassDef)) and inner is not node:
            found.add(inner.name)
    return found


@functools.cache
def form(sources: Sources, named: Named) -> Form | None:
    """The form of a definition; None where there is none to compare.

    The definition itself is brought to it, so that no copy is needed.
    """
    node = named.node
    if node is None:
        return None
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef):
            list_parameters(inner)  # As they are written: kept from here on.
    copy: ast.AST = node
    if isinstance(copy, (ast.Assign, ast.AnnAssign)):
        if copy.value is None:
            return None
        copy = copy.value
        local: set[str] = set()
    else:
        local = _find_local_names(copy)
    if isinstance(copy, ast.ClassDef):
        # Methods do not see the names of their class.
        local -= {n.name for n in copy.body if isinstance(n, ast.FunctionDef)}
    former = _Former(sources, named.module, local)
    new = former.visit(copy)
    if isinstance(new, (ast.FunctionDef, ast.ClassDef)):
        new.name = named.name
    return Form(ast.dump(new), tuple(former.names))
