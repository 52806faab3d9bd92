"""The initialiser of a variable scope, and the variables, layers and cells that it reaches.

`tf.variable_scope(..., initializer=i)` gave `i` to every variable that was made while it was
open, also in functions that were called inside, and to the kernels of layers and cells. TF2
has no such default, so it is written out where a variable, a layer or a cell is made:

    with tf.variable_scope("model", initializer=init):
        cell = BasicLSTMCell(8)        ->  BasicLSTMCell(8, kernel_initializer=init)
        h = tf.layers.dense(x, 1)      ->  Dense(1, kernel_initializer=init)

A cell or layer object makes its variables when it is first applied, wherever it was made. A
function makes them in the scope of its caller. If such a scope is not known, or if there are
several with different initialisers, nothing is written out and the scope is refused.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Container, Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.program.applied_objects import find_applied
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import recurrent
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

KERNEL = "kernel_initializer"
_SCOPE = "tf.variable_scope"
_PLACE = 3  # Of variable_scope's and get_variable's initialiser, and of a cell's.
# Cells whose kernels the scope initialises, and that have no row.
_CELLS = ("tf.nn.rnn_cell.", "tf.contrib.rnn.", "tf.contrib.cudnn_rnn.")
_SEPARABLE = frozenset({"tf.layers.separable_conv1d", "tf.layers.separable_conv2d"})
_LAYERS = {**LAYER_FUNCTIONS, **LAYER_CLASSES}
# Decorators with which a function is still called where it is named.
_DECORATORS = frozenset({"property", "staticmethod", "classmethod"})
_UNKNOWN = ast.Constant("unknown")
# What is known of a place: the initialisers of the scopes that may be open there.
_Found = frozenset[ast.expr | None]


def write_call(call: ast.Call, symbol: str, target: str, default: ast.expr) -> Code:
    """The call of a cell's or layer's class, with the initialiser that a scope gave."""
    argument = _name_argument(symbol)
    given = [make_code(value) for value in call.args]
    given += [
        make_code(f"{keyword.arg}=", keyword.value)
        for keyword in call.keywords
        if keyword.arg != argument
    ]
    given.append(make_code(f"{argument}=", default))
    return make_code(target, "(", join_code(", ", given), ")")


def _name_argument(symbol: str) -> str:
    """Names the argument of a cell or layer that initialises its kernels."""
    return "initializer" if symbol.endswith(".LSTMCell") else KERNEL


class ScopeDefaults:
    """The initialisers that a module's variable scopes give to what is made in them."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._defaults: dict[ast.Call, ast.expr | None] = {}

    def find(self, call: ast.Call) -> ast.expr | None:
        """Returns the initialiser that a call takes from the scopes around it, if known."""
        if not self._opened or not self._takes_default(call):
            return None
        found = self._find_default(call)
        return None if found is _UNKNOWN else found

    def find_unknown(
        self, block: ast.With, kept: Container[ast.AST] = ()
    ) -> ast.Call | None:
        """Returns the first call in a scope for which no initialiser can be written out.

        Args:
          block: `with tf.variable_scope(..., initializer=...):`.
          kept: code that stays as it is.
        """
        own = {node for one in block.body for node in walk_breadth_first(one)}
        reached = reach.find_reached(self._scopes, block.body)
        found = own.union(*(walk_breadth_first(root) for root in reached))
        for call in sorted(
            (node for node in found if isinstance(node, ast.Call)),
            key=lambda c: (c.lineno, c.col_offset),
        ):
            made = set(self._applied.get(call, ()))
            if self._takes_default(call) and self._makes_at_once(call):
                made.add(call)
            if any(
                (default := self._find_default(one)) is _UNKNOWN
                or default is not None
                and one in kept
                for one in made
            ):
                return call
        return None

    # -- what takes an initialiser ------------------------------------------------------

    def _takes_default(self, call: ast.Call) -> bool:
        """Whether a call makes a variable, layer or cell without an initialiser of its own."""
        symbol = self._scopes.resolve(call.func) or ""
        if symbol == "tf.get_variable":
            return not names.is_given(names.find_argument(call, "initializer", _PLACE))
        if symbol in recurrent.WRAPPERS or symbol in recurrent.LOOPS:
            return False
        if symbol in recurrent.CELLS:
            given = names.find_argument(call, _name_argument(symbol), _PLACE)
            return "Basic" in symbol or not names.is_given(given)
        if symbol in _SEPARABLE or symbol.startswith(_CELLS):
            return symbol not in recurrent.VALUES
        row = _LAYERS.get(symbol)
        if row is None or KERNEL not in row.parameters:
            return False
        before = 1 if symbol in LAYER_FUNCTIONS else 0  # The inputs.
        position = before + row.parameters.index(KERNEL)
        return not names.is_given(names.find_argument(call, KERNEL, position))

    def _makes_at_once(self, call: ast.Call) -> bool:
        """Whether a call makes its variables itself, and not when its result is applied."""
        symbol = self._scopes.resolve(call.func) or ""
        return symbol == "tf.get_variable" or symbol in LAYER_FUNCTIONS

    def _find_default(self, call: ast.Call) -> ast.expr | None:
        """Returns the initialiser that a call takes from a scope; `_UNKNOWN` if unsure."""
        if call not in self._defaults:
            self._defaults[call] = self._compute_default(call)
        return self._defaults[call]

    def _compute_default(self, call: ast.Call) -> ast.expr | None:
        symbol = self._scopes.resolve(call.func) or ""
        found: set[ast.expr | None]
        if self._makes_at_once(call):
            found = set(self._find_context(call, ()))
        else:
            found = set()
            for applier, made in self._applied.items():
                if call in made:
                    found |= self._find_context(applier, ())
        if not found:
            return None
        first, *others = sorted(found, key=lambda e: e is None)
        if first is None:
            return None
        if (
            _UNKNOWN in found
            or not all(self._is_same(first, other) for other in others)
            or symbol in _SEPARABLE
            or symbol not in recurrent.CELLS
            and not self._makes_at_once(call)
            and symbol not in LAYER_CLASSES
            or any(keyword.arg is None for keyword in call.keywords)
            or any(isinstance(argument, ast.Starred) for argument in call.args)
            or not self._has_room(call, symbol)
            or not self._is_seen(first, call)
            or not (self._makes_at_once(call) or self._is_made_before(first, call))
        ):
            return _UNKNOWN
        return first

    def _has_room(self, call: ast.Call, symbol: str) -> bool:
        """Whether no argument by position stands where the initialiser would."""
        if symbol in LAYER_CLASSES:
            return len(call.args) <= LAYER_CLASSES[symbol].parameters.index(KERNEL)
        if symbol in recurrent.CELLS and "Basic" not in symbol:
            return len(call.args) <= _PLACE
        return True

    # -- the scopes around a place ------------------------------------------------------

    @functools.cached_property
    def _opened(self) -> list[ast.Call]:
        """The calls that open a scope with an initialiser."""
        return [
            call
            for call in self._scopes.list_calls(_SCOPE)
            if names.is_given(names.find_argument(call, "initializer", _PLACE))
        ]

    def _find_context(self, node: ast.AST, callers: tuple[ast.AST, ...]) -> _Found:
        """Returns the initialisers of the scopes that may be open at a place."""
        below = node
        for above in self._scopes.walk_above(node):
            if isinstance(above, ast.With):
                for item in reversed(above.items):
                    call = item.context_expr
                    if not isinstance(call, ast.Call) or call not in self._opened:
                        continue
                    given = names.find_argument(call, "initializer", _PLACE)
                    assert given is not None
                    steady = below in above.body and self._is_steady(given, above)
                    return frozenset({given if steady else _UNKNOWN})
            elif isinstance(above, ast.Lambda):
                return self._find_outside(above)
            elif isinstance(above, ast.FunctionDef):
                if below not in above.body:
                    return self._find_outside(above)
                if above in callers:
                    return frozenset()
                return self._find_callers(above, (*callers, above))
            below = above
        return frozenset({None})

    def _find_outside(self, node: ast.AST) -> _Found:
        return frozenset({_UNKNOWN})

    def _find_callers(
        self, function: ast.FunctionDef, callers: tuple[ast.AST, ...]
    ) -> _Found:
        """Returns the initialisers of the scopes in which a function may be called."""
        owner = self._scopes.parents.get(function)
        is_method = isinstance(owner, ast.ClassDef)
        special = function.name.startswith("__") and function.name != "__init__"
        if special or any(
            names.find_key(decorator) not in _DECORATORS
            for decorator in function.decorator_list
        ):
            return frozenset({_UNKNOWN})
        is_property = any(
            names.find_key(decorator) == "property"
            for decorator in function.decorator_list
        )
        found: set[ast.expr | None] = set()
        for use in self._find_uses(function, owner if is_method else None):
            parent = self._scopes.parents.get(use)
            if is_property and isinstance(use, ast.Attribute):
                found |= self._find_context(use, callers)
            elif isinstance(parent, ast.Call) and parent.func is use:
                found |= self._find_context(parent, callers)
            elif not (isinstance(parent, ast.ClassDef) and use in parent.bases):
                found.add(_UNKNOWN)
        # One that is nowhere named is where a program begins.
        return frozenset(found or {None})

    def _find_uses(
        self, function: ast.FunctionDef, owner: ast.AST | None
    ) -> Iterator[ast.expr]:
        """Finds the places that name a function; for a constructor also its classes."""
        if owner is None:
            yield from self._find_reads(function, function.name)
            return
        for node in self._scopes.walk():
            if isinstance(node, ast.Attribute) and node.attr == function.name:
                yield node
        if function.name == "__init__":
            for made in self._scopes.walk():
                if isinstance(made, ast.ClassDef) and self._comes_from(made, owner, ()):
                    yield from self._find_reads(made, made.name)

    def _comes_from(
        self, made: ast.ClassDef, owner: ast.AST, seen: tuple[ast.AST, ...]
    ) -> bool:
        """Whether a class is a class, or may be derived from it."""
        if made is owner or made in seen:
            return made is owner
        return any(
            isinstance(base, ast.Name)
            and any(
                isinstance(above, ast.ClassDef)
                and self._comes_from(above, owner, (*seen, made))
                for above in reach.find_definitions(self._scopes, base)
            )
            for base in made.bases
        )

    def _find_reads(self, definition: ast.AST, name: str) -> Iterator[ast.Name]:
        for node in self._scopes.walk():
            if (
                isinstance(node, ast.Name)
                and node.id == name
                and isinstance(node.ctx, ast.Load)
                and definition in reach.find_definitions(self._scopes, node)
            ):
                yield node

    # -- whether an initialiser means the same at another place -------------------------

    def _is_same(self, one: ast.expr, other: ast.expr | None) -> bool:
        return (
            other is not None
            and ast.dump(one) == ast.dump(other)
            and self._is_seen(one, other, within=False)
        )

    def _is_seen(self, given: ast.expr, place: ast.AST, within: bool = True) -> bool:
        """Whether the names in an initialiser mean the same at another place."""
        home, there = self._find_function(given), self._find_function(place)
        for node in walk_breadth_first(given):
            if not isinstance(node, ast.Name):
                continue
            owner = self._scopes.find_scope(given).find_owner(node.id)
            if self._scopes.find_scope(place).find_owner(node.id) is not owner:
                return False
            once = owner is None or len(owner.bindings.get(node.id, ())) == 1
            if not once and not (within and home is there):
                return False
        return True

    def _is_made_before(self, given: ast.expr, made: ast.Call) -> bool:
        """Whether an initialiser has its value already where an object is made."""
        if any(
            isinstance(above, ast.With)
            and any(given in walk_breadth_first(item) for item in above.items)
            for above in self._scopes.walk_above(made)
        ):
            return True
        for node in walk_breadth_first(given):
            if isinstance(node, ast.Attribute) and not self._scopes.resolve(node):
                return False
            if isinstance(node, ast.Name):
                owner = self._scopes.find_scope(given).find_owner(node.id)
                bound = owner.bindings.get(node.id, []) if owner is not None else []
                if len(bound) > 1 or any(
                    isinstance(binding, ast.stmt) and binding.lineno >= made.lineno
                    for binding in bound
                ):
                    return False
        return True

    def _find_function(self, node: ast.AST) -> ast.AST | None:
        for above in self._scopes.walk_above(node):
            if isinstance(above, (ast.FunctionDef, ast.Lambda)):
                return above
        return None

    def _is_steady(self, given: ast.expr, block: ast.With) -> bool:
        """Whether an initialiser has the same value in the whole block of its scope."""
        roots = [*block.body, *reach.find_reached(self._scopes, block.body)]
        inside = [node for root in roots for node in walk_breadth_first(root)]
        stored = {
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in inside
            if isinstance(node, (ast.Attribute, ast.Name))
            and isinstance(node.ctx, (ast.Store, ast.Del))
        }
        for node in walk_breadth_first(given):
            match node:
                case ast.Call(func=func):
                    symbol = self._scopes.resolve(func) or ""
                    if not symbol.startswith("tf."):
                        return False
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    if name in stored:
                        return False
                case (
                    ast.Constant()
                    | ast.UnaryOp()
                    | ast.BinOp()
                    | ast.operator()
                    | ast.unaryop()
                    | ast.keyword()
                    | ast.expr_context()
                ):
                    pass
                case _:
                    return False
        return True

    # -- objects: where they are applied ------------------------------------------------

    @functools.cached_property
    def _applied(self) -> dict[ast.Call, frozenset[ast.Call]]:
        """Maps calls to the cells and layers without an initialiser that they may apply."""
        objects = frozenset(
            call
            for call in self._scopes.walk()
            if isinstance(call, ast.Call)
            and self._takes_default(call)
            and not self._makes_at_once(call)
        )
        return find_applied(self._scopes, objects)
