"""Whether an expression of a step is one tensor, or a variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.direct_steps.program import BASE
from migrate.facts import names
from migrate.facts.element_values import list_values
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import one_tensor
from migrate.tables.recurrent import MODULE as CELLS

_ASSIGNED = frozenset({"tf.assign", "tf.assign_add", "tf.assign_sub"})
_LOSSES = frozenset(
    f"contrib_seq2seq.{name}" for name in ("sequence_loss", "legacy_sequence_loss")
)
_VARIABLES = frozenset({"tf.Variable", "tf.get_variable"})
_METHODS = frozenset({"assign", "assign_add", "assign_sub"})


def is_variable(node: ast.expr, function: ast.FunctionDef, scopes: Scopes) -> bool:
    """Whether an expression is a variable, or returns one that it assigns to."""
    if isinstance(node, ast.Call):
        match node.func:
            case ast.Attribute(value=ast.Name() as variable, attr=method):
                if method in _METHODS and is_variable(variable, function, scopes):
                    return True
        return scopes.resolve(node.func) in _ASSIGNED
    match node:
        case ast.Subscript(ast.Name() as listed, ast.Constant(int())):
            return _lists_variables(listed, scopes)
        case ast.Subscript(ast.Name() as entries, ast.Constant(str(key))):
            return _is_entry(entries, key, scopes)
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    if owner is None:
        return False
    match owner.bindings[node.id]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Name() as other)]:
            return is_variable(other, function, scopes)
        case [ast.Assign(targets=[ast.Name()], value=ast.Call() as value)]:
            if owner.node is function:
                return is_variable(value, function, scopes)
            counts = scopes.import_path(value.func) == f"{BASE}.create_global_step"
            return counts or scopes.resolve(value.func) in _VARIABLES
        case [
            ast.Assign(
                targets=[ast.Tuple(elts) | ast.List(elts)],
                value=ast.ListComp(elt=ast.Call(func=made)),
            )
        ]:
            whole = not any(isinstance(e, ast.Starred) for e in elts)
            return whole and scopes.resolve(made) in _VARIABLES
    return False


def _lists_variables(node: ast.Name, scopes: Scopes) -> bool:
    """Whether it is a name of `replicas.trainable_variables`."""
    owner = scopes.find_scope(node).find_owner(node.id)
    match owner.bindings[node.id] if owner else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Attribute(attr=attr))]:
            return attr == "trainable_variables"
    return False


def _is_entry(entries: ast.Name, key: str, scopes: Scopes) -> bool:
    """Whether a dict was made with a variable under a key, and nobody stores in it."""
    owner = scopes.find_scope(entries).find_owner(entries.id)
    match owner.bindings[entries.id] if owner else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Dict(keys, values))]:
            pass
        case _:
            return False
    for node in scopes.walk():
        match node:
            case ast.Name(name) if name == entries.id and not isinstance(
                scopes.parents[node], ast.Subscript
            ):
                if isinstance(node.ctx, ast.Load):
                    return False
            case ast.Subscript(ast.Name(name), ctx=ast.Store() | ast.Del()):
                if name == entries.id:
                    return False
    made = [
        value
        for at, value in zip(keys, values)
        if isinstance(at, ast.Constant) and at.value == key
    ]
    return len(made) == 1 and all(
        isinstance(value, ast.Call) and scopes.resolve(value.func) in _VARIABLES
        for value in made
    )


def is_tensor(node: ast.expr, function: ast.FunctionDef, scopes: Scopes) -> bool:
    """Whether an expression of a step is one tensor, and no variable."""
    return _Tensors(scopes, function).is_tensor(node)


def is_list_of_towers(
    node: ast.Name, function: ast.FunctionDef, scopes: Scopes
) -> bool:
    """Whether a name of a step is `replicas.towers(loss)`, a tensor of each tower."""
    return _Tensors(scopes, function).is_list_of_towers(node)


class _Tensors:
    def __init__(self, scopes: Scopes, step: ast.FunctionDef) -> None:
        self._scopes = scopes
        self._step = step
        self._under_way: set[object] = set()

    def is_tensor(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return self._is_name(node)
        if isinstance(node, ast.BinOp):
            operands = (node.left, node.right)
            return any(
                self.is_tensor(n) or is_variable(n, self._step, self._scopes)
                for n in operands
            )
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self.is_tensor(node.operand)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            ordered = isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
            return ordered and self.is_tensor(node.left)
        if isinstance(node, ast.Subscript):
            if self._gives_tensors(node.value):
                return isinstance(node.slice, ast.Constant)
            return self.is_tensor(node.value)
        if isinstance(node, ast.IfExp):
            return self.is_tensor(node.body) and self.is_tensor(node.orelse)
        if isinstance(node, ast.Call):
            if self._scopes.resolve(node.func) in one_tensor.SYMBOLS:
                return True
            if is_layer(node.func, self._scopes, one_tensor.LAYERS):
                return True
            path = self._scopes.import_path(node.func)
            if path.startswith(f"{BASE}.summary.") or path in _LOSSES:
                return True
            if isinstance(node.func, ast.Call):  # `tf_keras.layers.Flatten()(x)`
                made = self._scopes.import_path(node.func.func)
                return made.startswith("tf_keras.layers.") and (
                    made.rpartition(".")[2] in one_tensor.LAYERS
                )
            if self._is_conditional(node) or self._is_given_function(node.func):
                return True
            match node:  # `replicas.of_first(error)`, of several towers.
                case ast.Call(func=ast.Attribute(attr="of_first"), args=[one]):
                    return self.is_tensor(one)
                case ast.Call(func=ast.Name("sum"), args=[ast.Name() as listed]):
                    return self.is_list_of_towers(listed)
            found = self._find_function(node)
            return found is not None and self._gives(found, None)
        return False

    def is_list_of_towers(self, listed: ast.Name) -> bool:
        """Whether it is `replicas.towers(loss)`, a tensor of each tower."""
        owner = self._scopes.find_scope(listed).find_owner(listed.id)
        match owner.bindings[listed.id] if owner else []:
            case [
                ast.Assign(
                    value=ast.Call(func=ast.Attribute(attr="towers"), args=[one])
                )
            ]:
                return self.is_tensor(one)
        return False

    def _gives_tensors(self, node: ast.expr) -> bool:
        """Whether an expression is a tuple or list of tensors: `tf.unstack(x)`."""
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in one_tensor.SEVERAL
        )

    def _is_conditional(self, call: ast.Call) -> bool:
        """Whether it is `tf.cond` of two lambdas that give a tensor each."""
        if self._scopes.resolve(call.func) != "tf.cond":
            return False
        branches = [
            names.find_argument(call, name, place)
            for place, name in ((1, "true_fn"), (2, "false_fn"))
        ]
        return all(
            isinstance(branch, ast.Lambda) and self.is_tensor(branch.body)
            for branch in branches
        )

    def _is_given_function(self, func: ast.expr) -> bool:
        """Whether a parameter is, in all calls, a function that gives one tensor.

        If a call passes None, the code does not call it.
        """
        if not isinstance(func, ast.Name):
            return False
        owner = self._scopes.find_scope(func).find_owner(func.id)
        function = owner.node if owner is not None else None
        if owner is None or not isinstance(function, ast.FunctionDef):
            return False
        order = [a.arg for a in function.args.args]
        if func.id not in order or len(owner.bindings[func.id]) > 1:
            return False
        place = order.index(func.id)
        default = place - len(order) + len(function.args.defaults)
        passed = [
            names.find_argument(call, func.id, place)
            for call in self._scopes.walk()
            if isinstance(call, ast.Call) and self._find_function(call) is function
        ]
        if default >= 0:
            passed.append(function.args.defaults[default])
        given = [p for p in passed if p is not None and not is_none_constant(p)]
        return bool(given) and all(
            self._scopes.resolve(p) in one_tensor.SYMBOLS for p in given
        )

    def _find_function(self, call: ast.Call) -> ast.FunctionDef | None:
        """Returns the function of the file that is called, or that a function has made."""
        func = call.func
        if not isinstance(func, ast.Name):
            return None
        owner = self._scopes.find_scope(func).find_owner(func.id)
        match owner.bindings[func.id] if owner else []:
            case [ast.FunctionDef() as function]:
                return function
            case [
                ast.Assign(
                    targets=[ast.Name()], value=ast.Call(func=ast.Name()) as made
                )
            ]:
                outer = self._find_function(made)
                return find_made_function(outer) if outer else None
        return None

    def _gives(self, function: ast.FunctionDef, element: int | None) -> bool:
        """Whether a function always returns a tensor, or always one at a place of a tuple."""
        if function in self._under_way or function.decorator_list:
            return False
        self._under_way.add(function)
        try:
            values = [value for value in _find_returned_values(function)]
            if element is not None:
                values = [
                    value.elts[element]
                    if isinstance(value, ast.Tuple) and element < len(value.elts)
                    else None
                    for value in values
                ]
            return bool(values) and all(
                value is not None and self.is_tensor(value) for value in values
            )
        finally:
            self._under_way.discard(function)

    def _is_name(self, node: ast.Name) -> bool:
        """Whether all bindings of a name, in a step or its functions, are tensors."""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or node.id in owner.outer_names:
            return False
        if not isinstance(owner.node, ast.FunctionDef):
            return False
        key = (owner.node, node.id)
        if owner.node is not self._step and owner.node not in self._under_way:
            return False
        if key in self._under_way:  # `x = x + 1`: its first value decides.
            return True
        self._under_way.add(key)
        try:
            return all(
                self._is_binding(at, node.id, owner.node)
                for at in owner.bindings[node.id]
            )
        finally:
            self._under_way.discard(key)

    def _is_binding(self, at: ast.AST, name: str, function: ast.FunctionDef) -> bool:
        if isinstance(at, ast.arg):
            if function is self._step:
                return self._is_plain_parameter(at)
            return self._is_bound_anew(name, function)
        match at:
            case ast.Assign(targets=[ast.Name()], value=value):
                return self.is_tensor(value)
            case ast.AugAssign(target=ast.Name(), value=value):
                return True  # It keeps its elements, or gets more.
            case ast.Assign(targets=[ast.Tuple(targets)], value=ast.Tuple(values)) if (
                len(targets) == len(values)
            ):
                given = [
                    value
                    for target, value in zip(targets, values)
                    if isinstance(target, ast.Name) and target.id == name
                ]
                return bool(given) and all(map(self.is_tensor, given))
            case ast.Assign(targets=[ast.Tuple(targets)], value=ast.Call() as call):
                places = [
                    i
                    for i, t in enumerate(targets)
                    if isinstance(t, ast.Name) and t.id == name
                ]
                if any(isinstance(t, ast.Starred) for t in targets):
                    return False
                if self._gives_tensors(call):
                    return bool(places)
                if self._scopes.import_path(call.func) == f"{CELLS}.dynamic_rnn":
                    return places == [0]  # The state may be a structure.
                found = self._find_function(call)
                if len(places) != 1 or found is None:
                    return False
                return self._gives(found, places[0])
        return False

    def _is_bound_anew(self, name: str, function: ast.FunctionDef) -> bool:
        """Whether each call binds a parameter anew: `x = dense(x)`, and returns at its end."""
        returned = [
            s for s in walk_breadth_first(function) if isinstance(s, ast.Return)
        ]
        for node in walk_breadth_first(function):
            match node:
                case ast.Assign(targets=[ast.Name(target)]) if target == name:
                    at = self._scopes.parents[node]
                    while isinstance(at, ast.With):
                        at = self._scopes.parents[at]
                    if at is function and len(returned) == 1:
                        return True
        return False

    def _is_plain_parameter(self, parameter: ast.arg) -> bool:
        """Whether a step's parameter has a `tf.TensorSpec` of its own."""
        order = [a.arg for a in self._step.args.args]
        decorator = self._step.decorator_list[0]
        assert isinstance(decorator, ast.Call)
        specs = decorator.args
        place = order.index(parameter.arg) if parameter.arg in order else len(specs)
        if len(specs) != len(order) or place >= len(specs):
            return False
        spec = specs[place]
        return (
            isinstance(spec, ast.Call)
            and self._scopes.resolve(spec.func) == "tf.TensorSpec"
        )


def is_layer(
    func: ast.expr, scopes: Scopes, kinds: frozenset[str] = frozenset()
) -> bool:
    """Whether a name is bound only to Keras layers, of some kinds."""
    if not isinstance(func, ast.Name):
        return False
    values = list_values(func, scopes)
    for value in values:
        if not isinstance(value, ast.Call):
            return False
        path = scopes.import_path(value.func)
        if not path.startswith("tf_keras.layers."):
            return False
        if kinds and path.rpartition(".")[2] not in kinds:
            return False
    return bool(values)


def _find_returned_values(function: ast.FunctionDef) -> Iterator[ast.expr | None]:
    for node in names.walk_scope_of_function(function):
        if isinstance(node, ast.Return):
            yield node.value
    if _reaches_end(function.body):
        yield None


def _reaches_end(suite: list[ast.stmt]) -> bool:
    """Whether a suite can reach its end, so that its function returns None."""
    match suite[-1]:
        case ast.Return() | ast.Raise():
            return False
        case ast.With(body=body):
            return _reaches_end(body)
        case ast.If(body=body, orelse=[_, *_] as orelse):
            return _reaches_end(body) or _reaches_end(orelse)
    return True


def find_made_function(function: ast.FunctionDef) -> ast.FunctionDef | None:
    """Returns the inner function that a function returns."""
    inner = {n.name: n for n in function.body if isinstance(n, ast.FunctionDef)}
    match list(_find_returned_values(function)):
        case [ast.Name(name)]:
            return inner.get(name)
    return None
