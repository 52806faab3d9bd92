"""Whether a step that is traced at its first call is the one that was traced where it stands.

TF1 built the graph where its code stands. A `tf.function` runs the code of a step when it
is first called: what that code reads of Python must then be what it was, and it must do
nothing but build. Other steps are traced in their place, by a line of their own.
"""

from __future__ import annotations

import ast

from migrate import emitted
from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import BASE, MODULE, Program
from migrate.backends.direct_steps.surroundings import are_constant
from migrate.backends.direct_steps.tensors import find_made_function, is_layer
from migrate.facts import names
from migrate.facts.element_values import list_elements, list_values
from migrate.facts.scopes import Scope, Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table
from migrate.tables.direct_savers import WITHOUT_VARIABLES

# Methods of tensors, variables, optimizers and datasets' iterators; and of strings.
_METHODS = frozenset(
    {"apply_gradients", "as_list", "assign", "assign_add", "assign_sub", "endswith"}
    | {"format", "get_next", "get_shape", "gradient", "items", "keys", "lookup"}
    | {"read_value", "set_shape", "size", "startswith", "value", "values"}
    | {"watched_variables"}
)
# Modules whose functions only compute.
_BUILDING = (
    *("math.", "recurrent_cells.", f"{BASE}.summary.", "contrib_seq2seq.sequence_loss"),
    "contrib_seq2seq.legacy_sequence_loss",
)
# `recording` gives variables TF1's names.
_NAMES = frozenset({"name", "op"})
_WEIGHTS = frozenset({"bias", "kernel", "trainable_weights", "weights"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BESIDE = frozenset(map(emitted.find_module, emitted.list_names()))
_KNOWN = {path.partition(".")[0] for path in _BUILDING} | {MODULE}
_BRANCHES = (
    *(ast.If, ast.For, ast.While, ast.Assert, ast.Try, ast.IfExp, ast.BoolOp),
    *(ast.Lambda, *_COMPREHENSIONS),
)
_NOT_FLOAT64 = frozenset(
    f"tf.{name}" for name in ("float32", "int32", "int64", "uint8", "bool", "string")
)
_CONVERTS = frozenset({"tf.constant", "tf.convert_to_tensor", "tf.Variable"})


def is_same_later(program: Program) -> bool:
    """Whether the program's steps may be traced when they are called first."""
    return _Tracing(program).is_same_later()


def keeps_nothing_else(program: Program) -> bool:
    """Whether steps, and what stands around them, need nothing that the session did beside."""
    return _Tracing(program).keeps_nothing_else()


def list_traced(program: Program) -> list[ast.FunctionDef]:
    """The functions whose code runs when the program's steps are traced."""
    return _Tracing(program).list_parts()


def asks_weights(program: Program) -> bool:
    """Whether steps, or what follows them, ask layers for their variables.

    Raises:
      NotKnown: code asks for them that stands before the steps.
    """
    return _Tracing(program).asks_weights()


def has_branches(program: Program, step: ast.FunctionDef) -> bool:
    """Whether AutoGraph could see Python's control flow in a step, or in what it calls.

    What other calls do is not known.
    """
    return _Tracing(program).has_branches(step)


class _Tracing:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._scopes: Scopes = program.scopes
        self._parts: dict[ast.FunctionDef, None] = {}

    def list_parts(self) -> list[ast.FunctionDef]:
        for step in self._program.steps:
            self._enter(step)
        return list(self._parts)

    def is_same_later(self) -> bool:
        return all(
            self._has_no_effect(function) for function in self.list_parts()
        ) and are_constant(self._program, list(self._parts))

    def keeps_nothing_else(self) -> bool:
        return (
            not any(map(self._asks_module, self._list_calls()))
            and all(map(self._is_choice, self._list_reads(_NAMES)))
            and not self._may_infer_dtypes()
            and not self._catches_shapes()
        )

    def _list_calls(self) -> list[ast.Call]:
        return [
            node
            for function in self.list_parts()
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Call) and not self._builds(node)
        ]

    def _asks_module(self, call: ast.Call) -> bool:
        """Whether a call may be of a module beside the program, which may need its session."""
        func = call.func
        if not isinstance(func, ast.Name) and not self._scopes.import_path(func):
            return self._has_others_beside()  # It may be an object of one.
        made = [func]
        if isinstance(func, ast.Name):
            made += [
                value.func if isinstance(value, ast.Call) else value
                for value in list_values(func, self._scopes)
            ]
        roots = {self._scopes.import_path(one).partition(".")[0] for one in made}
        return bool(roots & _BESIDE)

    def _has_others_beside(self) -> bool:
        """Whether the program imports a module that its steps are not known to need alone."""
        return any(
            alias.name in _BESIDE - _KNOWN
            for node in self._scopes.walk()
            if isinstance(node, ast.Import)
            for alias in node.names
        )

    def has_branches(self, step: ast.FunctionDef) -> bool:
        self._enter(step)
        return any(
            isinstance(node, _BRANCHES)
            or (isinstance(node, ast.Call) and not self._builds(node))
            for function in self._parts
            for statement in function.body
            for node in walk_breadth_first(statement)
        )

    def _enter(self, function: ast.FunctionDef) -> None:
        """A function whose code runs when a step is traced, and what it calls."""
        if function in self._parts:
            return
        self._parts[function] = None
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Call):
                for callee in self._list_callees(node.func):
                    self._enter(callee)

    def _list_callees(self, func: ast.expr) -> list[ast.FunctionDef]:
        if not isinstance(func, ast.Name):
            return []
        owner = self._scopes.find_scope(func).find_owner(func.id)
        match owner.bindings[func.id] if owner else []:
            case [ast.FunctionDef() as function]:
                return [function]
        found: list[ast.FunctionDef] = []
        for value in list_values(func, self._scopes):
            if not isinstance(value, ast.Call):
                return []
            inner = [
                find_made_function(outer) for outer in self._list_callees(value.func)
            ]
            if not inner or None in inner:
                return []
            found += [function for function in inner if function is not None]
        return found

    def _has_no_effect(self, function: ast.FunctionDef) -> bool:
        """Whether a function's code does nothing that somebody outside could see."""
        for node in walk_breadth_first(function):
            if isinstance(
                node,
                (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)
                + (ast.Delete, ast.Import, ast.ImportFrom, ast.ClassDef, ast.NamedExpr),
            ):
                return False
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                if isinstance(node.ctx, (ast.Store, ast.Del)):
                    return False
            if isinstance(node, ast.Call) and not self._builds(node):
                return False
        return True

    def _builds(self, call: ast.Call) -> bool:
        func = call.func
        parent = self._scopes.parents[call]
        if isinstance(parent, ast.FunctionDef) and call in parent.decorator_list:
            return True
        beside = (*self._program.updates, *self._program.towers, *self._program.feeds)
        if call in beside or any(
            call is listing.whole for listing in self._program.listings
        ):
            return True
        symbol = self._scopes.resolve(func) or ""
        if symbol.startswith("tf."):
            return not table.find_longest(symbol, table.TENSORFLOW) and symbol not in (
                *("tf.py_func", "tf.print"),
            )
        if isinstance(func, ast.Name):
            owner = self._scopes.find_scope(func).find_owner(func.id)
            if owner is not None and (
                self._is_given_function(func, owner) or is_layer(func, self._scopes)
            ):
                return True
            if owner is None:
                return func.id in table.PURE_BUILTINS or self._takes_in_turn(call)
            return bool(self._list_callees(func))
        if isinstance(func, ast.Call):  # `tf_keras.layers.Flatten()(x)`
            return self._makes_nothing(func)
        if not isinstance(func, ast.Attribute):
            return False
        path = self._scopes.import_path(func)
        if path.startswith("numpy."):
            return not path.startswith("numpy.random")
        if path.startswith(_BUILDING) or self._makes_nothing(call):
            return True
        if func.attr == "zero_state" and isinstance(func.value, ast.Name):
            made = list_values(func.value, self._scopes)
            return bool(made) and all(
                isinstance(value, ast.Call)
                and self._scopes.import_path(value.func).startswith("recurrent_cells.")
                for value in made
            )
        # A list's `append` is seen only where the list is.
        if func.attr == "append" and isinstance(func.value, ast.Name):
            owner = self._scopes.find_scope(func.value).find_owner(func.value.id)
            return owner is not None and owner.node in self._parts
        return func.attr in _METHODS

    def _makes_nothing(self, call: ast.Call) -> bool:
        """Whether it makes a layer that has no variables."""
        path = self._scopes.import_path(call.func)
        return path.startswith("tf_keras.layers.") and (
            path.rpartition(".")[2] in WITHOUT_VARIABLES
        )

    def _takes_in_turn(self, call: ast.Call) -> bool:
        """Whether it is the `iter` or `next` by which a step takes what a loop made."""
        match call:
            case ast.Call(func=ast.Name("iter"), args=[ast.Name() as listed]):
                return bool(list_elements(listed, self._scopes))
            case ast.Call(func=ast.Name("next"), args=[ast.Name() as iterator]):
                owner = self._scopes.find_scope(iterator).find_owner(iterator.id)
                return owner is not None and owner.node in self._parts
        return False

    def _is_given_function(self, func: ast.Name, owner: Scope) -> bool:
        """Whether a parameter is one of TensorFlow's functions in all calls."""
        function = owner.node
        if not isinstance(function, ast.FunctionDef) or function not in self._parts:
            return False
        order = [a.arg for a in function.args.args]
        if [func.id] != [n for n in order if n == func.id] or len(
            owner.bindings[func.id]
        ) > 1:
            return False
        calls = [
            n
            for n in self._scopes.walk()
            if isinstance(n, ast.Call) and function in self._list_callees(n.func)
        ]
        for call in calls:
            if any(isinstance(a, ast.Starred) for a in call.args) or any(
                k.arg is None for k in call.keywords
            ):
                return False
            given = names.find_argument(call, func.id, order.index(func.id))
            if given is None or isinstance(given, ast.Constant):
                continue
            if not (self._scopes.resolve(given) or "").startswith("tf."):
                return False
        return True

    # -- what recording does beside ----------------------------------------------------

    def _may_infer_dtypes(self) -> bool:
        """Whether a Keras layer could be given float64, which `recording` makes its dtype.

        Tensors are of the specs' dtypes, or of what they are made of: NumPy's is float64.
        """
        if not any(
            isinstance(node, ast.Import) and node.names[0].name == "tf_keras"
            for node in self._scopes.walk()
        ):
            return False
        for step in self._program.steps.values():
            for spec in step.decorator.args:
                if not isinstance(spec, ast.Call) or len(spec.args) != 2:
                    return True
                if self._scopes.resolve(spec.args[1]) not in _NOT_FLOAT64:
                    return True
        for node in self._scopes.walk():
            if isinstance(node, ast.Attribute | ast.Constant):
                if "float64" in (getattr(node, "attr", ""), getattr(node, "value", "")):
                    return True
            if isinstance(node, ast.Call):
                symbol = self._scopes.resolve(node.func) or ""
                given = names.find_argument(node, "dtype", 1)
                if symbol in _CONVERTS and given is None:
                    if not node.args or _may_be_numpy(node.args[0], self._scopes):
                        return True
        return False

    def _catches_shapes(self) -> bool:
        """Whether a handler could be of a feed's shape: a function raises another error."""
        return any(
            isinstance(node, ast.ExceptHandler)
            and node.type is not None
            and any(
                isinstance(n, ast.Name) and n.id in ("ValueError", "TypeError")
                for n in walk_breadth_first(node.type)
            )
            for node in self._scopes.walk()
        )

    def _list_reads(self, attributes: frozenset[str]) -> list[ast.Attribute]:
        """Lists what asks anything for an attribute of these."""
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Attribute)
            and node.attr in attributes
            and not self._scopes.import_path(node)
        ]

    def _is_choice(self, node: ast.Attribute) -> bool:
        """Whether a name is only asked for a text: `v.name.startswith("net")`.

        `recording` adds numbers to the ends of names.
        """
        if node.attr != "name":
            return False
        above = self._scopes.parents[node]
        match above, self._scopes.parents.get(above):
            case (
                ast.Attribute(attr="startswith"),
                ast.Call(args=[ast.Constant(str(begin))], keywords=[]),
            ):
                return not begin[-1:].isdigit()
            case ast.Compare(ast.Constant(str(part)), [ast.In() | ast.NotIn()]), _:
                return not any(map(str.isdigit, part))
        return False

    def asks_weights(self) -> bool:
        """Whether steps, or what follows them, ask layers for their variables.

        Raises:
          NotKnown: code asks for them that stands before the steps.
        """
        last = max(block.end_lineno or 0 for block in self._program.blocks)
        parts = self.list_parts()
        reads = self._list_reads(_WEIGHTS)
        for node in reads:
            at: ast.AST | None = node
            while at is not None and at not in parts:
                at = self._scopes.parents.get(at)
            if at is None and node.lineno <= last:
                raise NotKnown
        return bool(reads)


def _may_be_numpy(node: ast.expr, scopes: Scopes) -> bool:
    """Whether a value could be an array: any that is no number of Python's, nor a tensor."""
    match node:
        case ast.Call(func=ast.Call() | ast.Name() as func) if (
            found := list_values(func, scopes) if isinstance(func, ast.Name) else [func]
        ) and all(
            isinstance(made, ast.Call)
            and (scopes.resolve(made.func) or "").endswith("_initializer")
            for made in found
        ):
            given = names.find_argument(node, "dtype", 1)
            return given is None or scopes.resolve(given) not in _NOT_FLOAT64
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return not isinstance(node, ast.Call) or not (
            scopes.resolve(node.func) or ""
        ).startswith("tf.")
    return False
