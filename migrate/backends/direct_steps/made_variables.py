"""Finds the variables that a graph's code makes, and their names in TF1.

It reads only code that makes each variable once, for all flags and inputs of the program.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from migrate.backends.direct_steps.program import BASE, Program
from migrate.backends.direct_steps.tensors import find_made_function
from migrate.facts import names
from migrate.facts.element_values import list_values
from migrate.facts.scopes import Scope
from migrate.source.nodes import walk_breadth_first
from migrate.tables import direct_savers as table
from migrate.tables.host_effects import PURE_BUILTINS
from migrate.tables.one_tensor import SYMBOLS

_CONDITIONAL = (
    *(ast.If, ast.For, ast.While, ast.Try, ast.IfExp, ast.BoolOp, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.FunctionDef),
)

# Methods of a variable, and of its name.
_OF_VARIABLES = frozenset({"endswith", "read_value", "startswith"})


class NotKnown(Exception):
    """The variables of a saver, or their names, are not known."""


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable of a block.

    Attributes:
      spelled: the expression that names it: `w`, `weights["h1"]`.
      tf_name: its name in TF1.
      trained: whether it is among the trainable ones.
      line: where it is made.
    """

    spelled: str
    tf_name: str
    trained: bool
    line: int


@dataclasses.dataclass
class Made:
    """The variables, layers, optimizers and networks that a block makes.

    Attributes:
      variables: Python names of the block's variables, in order -> their names in TF1.
      groups: Python names of dicts and lists of variables -> these as elements of a list.
      layers: Python names of the block's layers -> the layers' own names.
      optimizers: Python names of optimizers -> whether the optimizer has slots.
      networks: Python names of functions that a function of the file returned, together with
        the variables that it made.
      renamed: variables that need an explicit name -> this name.
      taken: names that variables already have.
      order: the block's variables in the order in which it makes them.
      unnamed: Python names of lists of variables that are not trainable, and whose names in
        TF1 are not known.
      all_told: whether it is known of each whether it is trainable.
    """

    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    groups: dict[str, str] = dataclasses.field(default_factory=dict)
    layers: dict[str, str] = dataclasses.field(default_factory=dict)
    optimizers: dict[str, bool] = dataclasses.field(default_factory=dict)
    networks: dict[str, ast.FunctionDef] = dataclasses.field(default_factory=dict)
    renamed: dict[ast.Call, str] = dataclasses.field(default_factory=dict)
    taken: set[str] = dataclasses.field(default_factory=set)
    layer_names: list[str] = dataclasses.field(default_factory=list)
    order: list[Variable] = dataclasses.field(default_factory=list)
    unnamed: set[str] = dataclasses.field(default_factory=set)
    all_told: bool = True


def read_block(program: Program, block: ast.With, named: bool = True) -> Made:
    """Finds what a block makes.

    Args:
      named: whether layers must have the names that their variables have in TF1.

    Raises:
      NotKnown: the block may make other variables, or they may have other names.
    """
    return _Block(program, block).read(named)


class _Block:
    """Reads the statements of a block."""

    def __init__(self, program: Program, block: ast.With) -> None:
        self._program = program
        self._scopes = program.scopes
        self._block = block
        self._made = Made()

    def read(self, named: bool) -> Made:
        self._read_suite(self._block.body, "", None)
        if not named:
            return self._made
        layers = self._made.layer_names
        if len(set(layers)) != len(layers):
            raise NotKnown
        for name in self._made.taken:
            if set(name.split("/")[:-1]) & set(layers):
                raise NotKnown
        return self._made

    def _read_suite(
        self, body: Sequence[ast.stmt], path: str, inner: ast.FunctionDef | None
    ) -> None:
        """Reads statements of the block, or of a function that returns the function `inner`."""
        for statement in body:
            match statement:
                case ast.FunctionDef() | ast.Pass():
                    pass
                case ast.Expr(ast.Constant()):
                    pass
                case ast.Return(ast.Name()) if inner is not None:
                    pass
                case ast.With(
                    items=[ast.withitem(ast.Call() as call, None | ast.Name())]
                ):
                    self._read_suite(
                        statement.body, path + self._read_scope(call), inner
                    )
                case ast.Assign(value=ast.Call() as call) if (
                    call in self._program.savers
                ):
                    pass
                case ast.Assign(targets=[ast.Name(name)], value=ast.Call() as call):
                    self._read_call(name, call, path, inner)
                case ast.Assign(
                    targets=[ast.Name(name)],
                    value=ast.Dict(values=elements) | ast.List(elts=elements),
                ) if inner is None and self._are_variables(elements):
                    self._read_group(name, statement.value, elements, path)
                case ast.Assign(
                    targets=[ast.Name(name)], value=ast.ListComp(elt=element) as made
                ) if inner is None and self._are_variables([element]):
                    self._read_accumulators(name, made)
                case ast.Assign(targets=[ast.Name()], value=value):
                    self._check_harmless(value)
                case _:
                    raise NotKnown

    def _read_scope(self, call: ast.Call) -> str:
        """The prefix that a name scope adds to the names of variables."""
        match call:
            case ast.Call(args=[ast.Constant(str(name))], keywords=[]):
                if self._scopes.resolve(call.func) == "tf.name_scope":
                    if name and not name.endswith("/"):
                        return name + "/"
        raise NotKnown

    def _read_call(
        self, name: str, call: ast.Call, path: str, inner: ast.FunctionDef | None
    ) -> None:
        symbol = self._scopes.resolve(call.func) or ""
        whole = self._scopes.import_path(call.func)
        for argument in (*call.args, *(k.value for k in call.keywords)):
            self._check_harmless(argument)
        if symbol == "tf.Variable":
            self._read_variable(name, call, path, inner)
        elif whole == f"{BASE}.create_global_step":
            self._add(name, path + "global_step", inner)
            self._note(name, path + "global_step", call, False, inner)
        elif whole.startswith("tf_keras.layers."):
            self._read_layer(name, call, whole.rpartition(".")[2], inner)
        elif symbol in table.OPTIMIZERS:
            if inner is not None:
                raise NotKnown
            self._made.optimizers[name] = table.OPTIMIZERS[symbol]
        elif self._is_harmless(call):
            pass
        elif (made := self._find_made_variable(call)) is not None:
            self._read_made_variable(name, made, path, inner)
        else:
            self._read_network(name, call, path, inner)

    def _find_made_variable(self, call: ast.Call) -> ast.Call | None:
        """Finds what a call of `def weight(shape): ...; return tf.Variable(...)` makes."""
        function = self._scopes.find_function(call.func)
        if function is None or function.decorator_list:
            return None
        match function.body[-1]:
            case ast.Return(ast.Call() as made) if (
                self._scopes.resolve(made.func) == "tf.Variable"
            ):
                pass
            case _:
                return None
        for statement in function.body[:-1]:
            match statement:
                case ast.Expr(ast.Constant()):
                    pass
                case ast.Assign(targets=[ast.Name()], value=value):
                    self._check_harmless(value)
                case _:
                    return None
        for argument in (*made.args, *(k.value for k in made.keywords)):
            self._check_harmless(argument)
        return made

    def _read_made_variable(
        self, name: str, made: ast.Call, path: str, inner: ast.FunctionDef | None
    ) -> None:
        """Reads a variable that a function makes, which must not need a name of its own."""
        before = set(self._made.renamed)
        self._read_variable(name, made, path, inner)
        if set(self._made.renamed) != before:
            raise NotKnown  # All that the function makes have one name.

    def _are_variables(self, elements: Sequence[ast.expr]) -> bool:
        return bool(elements) and all(
            isinstance(e, ast.Call) and self._scopes.resolve(e.func) == "tf.Variable"
            for e in elements
        )

    def _read_group(
        self, name: str, value: ast.expr, elements: Sequence[ast.expr], path: str
    ) -> None:
        """Reads `weights = {"h1": tf.Variable(...), ...}`, or such a list."""
        if name in self._made.groups:
            raise NotKnown
        keys = value.keys if isinstance(value, ast.Dict) else None
        for at, element in enumerate(elements):
            assert isinstance(element, ast.Call)
            for argument in (*element.args, *(k.value for k in element.keywords)):
                self._check_harmless(argument)
            key = ast.Constant(at) if keys is None else keys[at]
            if not isinstance(key, ast.Constant):
                raise NotKnown
            # No name of Python has a bracket.
            spelled = f"{name}[{ast.unparse(key)}]"
            self._read_variable(spelled, element, path, None)
            del self._made.variables[spelled]
        self._made.groups[name] = f"*{name}" if keys is None else f"*{name}.values()"

    def _read_accumulators(self, name: str, made: ast.ListComp) -> None:
        """Reads `[tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]`."""
        element = made.elt
        assert isinstance(element, ast.Call)
        trained = names.find_argument(element, "trainable", 1)
        if not isinstance(trained, ast.Constant) or trained.value is not False:
            raise NotKnown
        for part in (*element.args, *(k.value for k in element.keywords)):
            self._check_harmless(part)
        for loop in made.generators:
            self._check_harmless(loop)
        if name in self._made.unnamed:
            raise NotKnown
        self._made.unnamed.add(name)

    def _note(
        self,
        name: str,
        tf_name: str,
        call: ast.Call,
        trained: bool,
        inner: ast.FunctionDef | None,
    ) -> None:
        if inner is None:
            self._made.order.append(Variable(name, tf_name, trained, call.lineno))

    def _read_variable(
        self, name: str, call: ast.Call, path: str, inner: ast.FunctionDef | None
    ) -> None:
        given = names.find_argument(call, "name")
        keywords = {k.arg for k in call.keywords}
        if len(call.args) > 3 or any(isinstance(a, ast.Starred) for a in call.args):
            raise NotKnown
        if not keywords <= table.OF_VARIABLES:
            raise NotKnown
        if given is None:
            wish = "Variable"
        elif isinstance(given, ast.Constant) and isinstance(given.value, str):
            wish = given.value
        else:
            raise NotKnown
        unique, number = wish, 0
        while path + unique in self._made.taken:
            number += 1
            unique = f"{wish}_{number}"
        if unique != wish:  # TF1 adds a number.
            if inner is not None or given is not None:
                raise NotKnown
            self._made.renamed[call] = unique
        self._add(name, path + unique, inner)
        trained = names.find_argument(call, "trainable", 1)
        if trained is not None and not isinstance(trained, ast.Constant):
            self._made.all_told = False
        fixed = isinstance(trained, ast.Constant) and not trained.value
        self._note(name, path + unique, call, not fixed, inner)

    def _add(self, name: str, tf_name: str, inner: ast.FunctionDef | None) -> None:
        if tf_name.lower() in (name.lower() for name in self._made.taken):
            raise NotKnown  # In TF1 `w` gets a number if `W` exists.
        self._made.taken.add(tf_name)
        if inner is None:
            if name in self._made.variables:
                raise NotKnown
            self._made.variables[name] = tf_name
        else:
            self._check_read(name, inner)

    def _read_layer(
        self, name: str, call: ast.Call, kind: str, inner: ast.FunctionDef | None
    ) -> None:
        if kind in table.WITHOUT_VARIABLES:
            return
        given = names.find_argument(call, "name")
        if kind not in table.LAYERS or not isinstance(given, ast.Constant):
            raise NotKnown
        self._made.layer_names.append(str(given.value))
        if inner is None:
            if name in self._made.layers:
                raise NotKnown
            self._made.layers[name] = str(given.value)
        else:
            self._check_read(name, inner)

    def _check_read(self, name: str, inner: ast.FunctionDef) -> None:
        """Checks that an inner function always reads a variable of the function around it."""
        reads = [
            node
            for node in walk_breadth_first(inner)
            if isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and is_unconditional(node, inner, self._program)
        ]
        owner = self._scopes.scope_by_node[inner].find_owner(name)
        if not reads or owner is None or len(owner.bindings[name]) != 1:
            raise NotKnown

    def _read_network(
        self, name: str, call: ast.Call, path: str, inner: ast.FunctionDef | None
    ) -> None:
        """Reads a call of a function that makes variables and returns a function that uses them."""
        function = self._scopes.find_function(call.func)
        if inner is not None or function is None or function.decorator_list:
            raise NotKnown
        made = find_made_function(function)
        if made is None or function in self._made.networks.values():
            raise NotKnown
        self._made.networks[name] = function
        self._read_suite(function.body, path, made)

    def _check_harmless(self, node: ast.AST) -> None:
        """Checks that no call in an expression makes a variable."""
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.Call) and not self._is_harmless(inner):
                raise NotKnown

    def _is_harmless(self, call: ast.Call) -> bool:
        if any(call is listing.whole for listing in self._program.listings):
            return True
        if call in self._program.rates:
            return True
        symbol = self._scopes.resolve(call.func) or ""
        if symbol.startswith("tf."):
            return (
                symbol in SYMBOLS
                or symbol in table.SCHEDULES
                or symbol in table.MAKE_NO_VARIABLES
                or symbol.endswith("_initializer")
            )
        if self._scopes.import_path(call.func).startswith(("numpy.", "math.")):
            return True
        if isinstance(call.func, ast.Name):
            owner: Scope | None = self._scopes.find_scope(call.func).find_owner(
                call.func.id
            )
            if owner is not None:
                return self._is_initializer(call.func)
            return call.func.id in PURE_BUILTINS
        if isinstance(call.func, ast.Call):
            return self._is_harmless(call.func)  # A call of an initializer.
        return isinstance(call.func, ast.Attribute) and (
            call.func.attr in table.READING or call.func.attr in _OF_VARIABLES
        )

    def _is_initializer(self, name: ast.Name) -> bool:
        """Whether a name is bound only to initializers of TensorFlow."""
        made = list_values(name, self._scopes)
        return bool(made) and all(
            isinstance(value, ast.Call)
            and (self._scopes.resolve(value.func) or "").endswith("_initializer")
            for value in made
        )


def is_unconditional(
    node: ast.AST, function: ast.FunctionDef, program: Program
) -> bool:
    """Whether each call of a function runs a node of its code."""
    at: ast.AST = program.scopes.parents[node]
    while at is not function:
        if isinstance(at, _CONDITIONAL):
            return False
        at = program.scopes.parents[at]
    return True
