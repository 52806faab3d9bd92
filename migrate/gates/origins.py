"""Decides which names of a program hold objects of TensorFlow, or of listed packages.

A name is TensorFlow's if one of its bindings is. A wrong guess costs a question that is
not asked. But the gate takes no graph code for an effect.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from migrate import emitted
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import host_effects as table

if TYPE_CHECKING:
    from migrate.gates.callees import Callees

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NOTHING = (False, False)
_WRITTEN = frozenset(emitted.find_module(name) for name in emitted.list_names())
# Functions of the modules beside a program that return their argument.
_HANDS_ON = frozenset({"training_session.per_worker", "training_session.task_index"})
# Methods that return a value of the program's own, not a tensor.
_VALUES = frozenset({"run", "eval", "numpy", "tolist", "item"})

# Whether a value is TensorFlow's, and whether the effects of its maker are listed.
Origin = tuple[bool, bool]


def is_tensorflow(path: str) -> bool:
    """Whether a dotted path is of TensorFlow, or of a module that the tool writes."""
    root = path.partition(".")[0]
    return root.startswith(("tensorflow", "tf_")) or root in _WRITTEN or root == "keras"


class Origins:
    """The origins of one module's values."""

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._memo: dict[tuple[object, str], Origin] = {}
        self._attributes: dict[str, list[ast.expr]] = {}
        self._arguments: dict[tuple[ast.AST, str], list[ast.expr]] = {}
        # Function -> the functions that get it as an argument.
        self._given: dict[ast.AST, list[ast.expr]] = {}
        # (Scope, list or dict) -> what is put into it.
        self._items: dict[tuple[ast.AST, str], list[ast.expr]] = {}
        self._decorators: set[ast.AST] = set()
        self._of_classes: set[ast.AST] = set()
        for node in callees.scopes.walk():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        self._attributes.setdefault(target.attr, []).append(node.value)
                    elif isinstance(target, ast.Subscript):
                        self._note_item(target.value, node.value)
            elif isinstance(node, ast.Call):
                self._read_call(node)
            elif isinstance(node, ast.ClassDef):
                if any(is_tensorflow(callees.find_path(base)) for base in node.bases):
                    self._of_classes.update(node.body)
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                for decorator in node.decorator_list:
                    called = decorator
                    if isinstance(decorator, ast.Call):
                        called = decorator.func
                    self._decorators.update(callees.find_called_functions(called))

    def _read_call(self, call: ast.Call) -> None:
        """Notes which arguments of a call reach which parameters of functions in sight."""
        match call:
            case ast.Call(
                func=ast.Attribute(value=listed, attr="append"), args=[appended]
            ):
                self._note_item(listed, appended)
        for value in (*call.args, *(k.value for k in call.keywords)):
            if isinstance(value, (ast.Name, ast.Attribute)):
                for function in self._callees.find_called_functions(value):
                    self._given.setdefault(function, []).append(call.func)
        for function in self._callees.find_called_functions(call.func):
            names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
            if names and names[0] in ("self", "cls"):
                del names[0]
            named = list(zip(names, call.args))
            named += [(k.arg, k.value) for k in call.keywords if k.arg]
            for name, value in named:
                self._arguments.setdefault((function, name), []).append(value)

    def _note_item(self, container: ast.expr, item: ast.expr) -> None:
        """Notes what a list or dict gets."""
        if not isinstance(container, ast.Name):
            return
        owner = self._callees.find_owner(container)
        if owner is not None:
            self._items.setdefault((owner.node, container.id), []).append(item)

    def find_arguments(self, function: ast.AST, name: str) -> list[ast.expr]:
        """Returns the arguments that the calls in sight give for a parameter."""
        return self._arguments.get((function, name), [])

    def find_attribute_values(self, name: str) -> list[ast.expr]:
        """Returns the values that are assigned to an attribute, of any object."""
        return self._attributes.get(name, [])

    def is_of_tensorflow(self, node: ast.expr) -> bool:
        """Whether an expression is TensorFlow's, or made of values that are."""
        return self.trace_origin(node)[0]

    def is_given_functions(self, binding: ast.AST) -> bool:
        """Whether a parameter holds functions in sight, which a trace can enter."""
        if not isinstance(binding, ast.arg):
            return False
        scopes = self._callees.scopes
        function = scopes.parents.get(binding) or self._find_function(binding)
        above: ast.AST | None = function
        while above is not None:
            if above in self._decorators:
                return True
            above = scopes.parents.get(above)
        values = self._arguments.get((function, binding.arg), []) if function else []
        return bool(values) and all(
            isinstance(v, ast.Lambda)
            or (
                isinstance(v, (ast.Name, ast.Attribute))
                and self._callees.find_called_functions(v)
            )
            for v in values
        )

    def _find_function(self, binding: ast.arg) -> ast.AST | None:
        for node, scope in self._callees.scopes.scope_by_node.items():
            if binding in scope.bindings.get(binding.arg, ()):
                return node
        return None

    def trace_origin(self, node: ast.AST) -> Origin:
        """Returns the origin of an expression."""
        if isinstance(node, ast.Call):
            return self._trace_call(node)
        if isinstance(node, ast.Lambda):
            return _NOTHING
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            element = self.trace_origin(node.elt)
            if element == (False, True):  # `[value.numpy() for value in step(x)]`
                return element
        found = _NOTHING
        if isinstance(node, ast.Attribute):
            path = self._callees.find_path(node)
            if path:
                return _find_origin_of_path(path)
            found = self._trace_attribute(node.attr)
        elif isinstance(node, ast.Name):
            path = self._callees.find_path(node)
            return _find_origin_of_path(path) if path else self._trace_name(node)
        if found[0]:
            return found
        return _join_origins([found, *map(self.trace_origin, list_children(node))])

    def _trace_call(self, call: ast.Call) -> Origin:
        path = self._callees.find_path(call.func)
        if path in _HANDS_ON:
            value = call.args[0] if call.args else None
            return self.trace_origin(
                value.body if isinstance(value, ast.Lambda) else value or call.func
            )
        if isinstance(call.func, ast.Attribute) and call.func.attr in _VALUES:
            return False, True
        if path.partition(".")[0] in table.OF_VALUES:
            return False, True
        if isinstance(call.func, ast.Name) and not self._callees.find_bindings(
            call.func
        ):
            if call.func.id in table.VALUES:
                return False, True
        found = [
            self._find_origin_of_return(f)
            for f in self._callees.find_called_functions(call.func)
        ]
        parts = [call.func, *call.args, *(k.value for k in call.keywords)]
        return _join_origins([*found, *map(self.trace_origin, parts)])

    def _trace_name(self, name: ast.Name) -> Origin:
        owner = self._callees.find_owner(name)
        if owner is None:
            return _NOTHING
        key = (owner.node, name.id)
        if key not in self._memo:
            self._memo[key] = _NOTHING
            self._memo[key] = _join_origins(
                origin
                for binding in owner.bindings[name.id]
                for origin in self._find_origins_of_binding(
                    name.id, binding, owner.node
                )
            )
            match owner.bindings[name.id]:
                case [
                    ast.Assign(
                        targets=[ast.Name()],
                        value=ast.List(elts=[]) | ast.Dict(keys=[]),
                    )
                ]:
                    items = self._items.get((owner.node, name.id), [])
                    if items and all(map(self.is_of_tensorflow, items)):
                        self._memo[key] = (True, False)
        return self._memo[key]

    def _find_origins_of_binding(
        self, name: str, binding: ast.AST, function: ast.AST
    ) -> Iterator[Origin]:
        if isinstance(binding, ast.arg):
            if function in self._of_classes:
                yield True, False
            for called in self._given.get(function, ()):
                # TensorFlow calls such a function with its own values.
                yield self.trace_origin(called)[0], False
            yield from map(
                self.trace_origin, self._arguments.get((function, binding.arg), ())
            )
            return
        if isinstance(binding, (ast.With, ast.AsyncWith)):
            for item in binding.items:
                target = item.optional_vars
                bound = walk_breadth_first(target) if target is not None else ()
                if any(isinstance(n, ast.Name) and n.id == name for n in bound):
                    yield self.trace_origin(item.context_expr)
            return
        value = getattr(binding, "iter", None) or getattr(binding, "value", None)
        if self._is_number_of_loop(name, binding):
            yield False, True
        elif isinstance(value, ast.expr):
            yield self.trace_origin(value)

    def _is_number_of_loop(self, name: str, binding: ast.AST) -> bool:
        """Whether a name is `i` of `for i, part in enumerate(parts):`."""
        if not isinstance(binding, (ast.For, ast.AsyncFor, ast.comprehension)):
            return False
        match binding.target, binding.iter:
            case (
                ast.Tuple(elts=[ast.Name(id=first), _]),
                ast.Call(func=ast.Name(id="enumerate") as func),
            ):
                return first == name and not self._callees.find_bindings(func)
        return False

    def _trace_attribute(self, name: str) -> Origin:
        key = (None, name)
        if key not in self._memo:
            self._memo[key] = _NOTHING
            self._memo[key] = _join_origins(
                map(self.trace_origin, self._attributes.get(name, ()))
            )
        return self._memo[key]

    def _find_origin_of_return(self, function: ast.AST) -> Origin:
        """Returns the origin of the values that a function in sight returns."""
        key = (function, "return")
        if key not in self._memo:
            self._memo[key] = _NOTHING
            returned = (
                [function.body]
                if isinstance(function, ast.Lambda)
                else [
                    node.value
                    for node in walk_breadth_first(function)
                    if isinstance(node, (ast.Return, ast.Yield))
                    and node.value is not None
                ]
            )
            self._memo[key] = _join_origins(map(self.trace_origin, returned))
        return self._memo[key]


def _find_origin_of_path(path: str) -> Origin:
    if table.find_longest(path, table.READERS):
        return False, True
    if is_tensorflow(path) and table.HOST_MODULES.intersection(path.split(".")):
        return False, True
    if is_tensorflow(path):
        return True, False
    return False, table.find_longest(path, table.FUNCTIONS) is not None


def _join_origins(found: Iterable[Origin]) -> Origin:
    both = list(found)
    return any(t for t, _ in both), any(k for _, k in both)
