"""Describes layers and weights of a model_fn's network, as a Keras model makes them."""

from __future__ import annotations

import ast
import dataclasses

from migrate.program.keras_units import Unit
from migrate.tables.layers import LayerRow


def make_prefix(parameter: str) -> ast.Name:
    """A parameter that stands before names, with a slash of its own."""
    found = ast.Name(parameter, ast.Load())
    found.slashed = True  # type: ignore[attr-defined]
    return found


def is_prefix(node: object) -> bool:
    """Whether a part of a name ends in a slash of its own."""
    return getattr(node, "slashed", False)


@dataclasses.dataclass(frozen=True)
class Several:
    """Layers one after the other, as contrib's `stack` and `repeat` make them.

    Attributes:
      scope: the scope above them, TF1's default.
      of: a list with each layer's first argument; or the number of layers.
      parameters: Keras's arguments that come from that list; none if there is only a number.
    """

    scope: str
    of: ast.expr
    parameters: tuple[str, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Layer:
    """A call of a function of tf.layers, or of a layer object.

    Attributes:
      call: the call that becomes the Keras layer; for an object that is kept, the call that
        makes it.
      inputs: the layer's inputs; None if the layer is kept and called by `applied`.
      arguments: the constructor's, by name.
      name: TF1's name if it is known; None if Keras draws the same number.
      scope: expressions whose text, joined by "/", stands before the name.
      texts: further arguments of the constructor, if defaults differ.
      loop: for a called network: the loop that makes one in every round.
      applied: calls of an object that is kept.
      told: arguments of the layer's call, such as `training`, by name.
      normalizer: a layer between its product and its activation; it has the same call.
      several: the layers, if the call makes several in turn; their name has a `%d`.
      counted: whether the name gets a number where the layer is made, as TF1's scope
        gave it.
    """

    call: ast.Call
    row: LayerRow
    inputs: ast.expr | None
    arguments: tuple[tuple[str, ast.expr], ...]
    name: str | ast.expr | None
    scope: tuple[ast.expr, ...]
    texts: tuple[tuple[str, str], ...] = ()
    loop: ast.For | None = None
    applied: tuple[ast.Call, ...] = ()
    told: tuple[tuple[str, ast.expr], ...] = ()
    normalizer: Layer | None = None
    several: Several | None = None
    counted: bool = False

    @property
    def parts(self) -> tuple[Layer, ...]:
        """Returns the layer, and the layers inside it."""
        return (self,) if self.normalizer is None else (self, self.normalizer)

    @property
    def given(self) -> tuple[ast.expr, ...]:
        """Returns the arguments of the call without its inputs, as they are written."""
        values = (*self.call.args, *(k.value for k in self.call.keywords))
        return tuple(value for value in values if value is not self.inputs)

    @property
    def carried(self) -> tuple[ast.expr, ...]:
        """Returns the user's expressions that are in the code written for it."""
        found = [value for part in self.parts for _, value in part.arguments]
        found += [p.name for p in self.parts if isinstance(p.name, ast.expr)]
        return (*found, self.several.of) if self.several is not None else (*found,)


@dataclasses.dataclass(frozen=True, eq=False)
class Helper:
    """A function of the module, or a method, that builds a part of the network.

    Attributes:
      unneeded: its parameters that only said whether it is training.
      opened: statements that are replaced by their suite: scopes that only named variables
        or gave layers arguments, and `if training:` around layers that do nothing else
        elsewhere.
      gone: assignments in it that only said whether it is training, or that only held
        arguments of normalizers.
      owner: the class whose method it is, or None.
      calls: its calls, and the variable scopes around each.
      scope: the parameter that says in which variable scope it is called; "" for none.
      prefix: whether that ends in a slash, and is "" outside of all scopes.
      kept: statements of a constructor that only kept such a parameter.
      shared: the code that calls it if all calls have the variables of the first; "" if each
        call makes its own.
    """

    function: ast.FunctionDef
    unneeded: tuple[str, ...]
    opened: tuple[ast.With | ast.If, ...]
    gone: tuple[ast.stmt, ...] = ()
    owner: ast.ClassDef | None = None
    calls: tuple[tuple[ast.Call, tuple[ast.expr, ...]], ...] = ()
    scope: str = ""
    kept: tuple[ast.stmt, ...] = ()
    shared: str = ""
    prefix: bool = False


@dataclasses.dataclass(frozen=True, eq=False)
class Twins:
    """Two calls of one network, one as in training and one as not.

    Attributes:
      statement: the statement that replaces both.
      name: the network's output where the model is made.
      calls: the names of the two outputs, and whether each was as in training.
    """

    statement: ast.stmt
    name: str
    calls: tuple[tuple[str, bool], ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Weight:
    """A variable that the model makes by itself: a call of tf.get_variable.

    Attributes:
      unit: the assignment whose value the call is.
      name: TF1's, below the scopes.
      arguments: of add_weight, by name, without the variable's own name.
      scope: expressions whose text, joined by "/", stands before the name.
      loop: the loop that makes one in every round.
    """

    unit: Unit
    call: ast.Call
    name: ast.expr
    arguments: tuple[tuple[str, ast.expr], ...]
    scope: tuple[ast.expr, ...]
    loop: ast.For | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Table:
    """A lookup table that the model makes once.

    Attributes:
      name: its name in the model_fn.
      unit: the assignment whose value the call is.
      plain: statements that bind the names it is made from, in their order.
    """

    name: str
    call: ast.Call
    unit: Unit
    plain: tuple[Unit, ...]
