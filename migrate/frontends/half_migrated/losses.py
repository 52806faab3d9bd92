"""Finds out whether a loss is the mean of a batch's examples, or their sum.

Replicas that have a part of the batch each need to know: means of parts are weighted by
the parts' sizes, sums are added up.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.keras_names import find_definition, find_keras_name
from migrate.program.eager import Division, Step
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import find_binding
from migrate.source.nodes import walk_breadth_first

_MEANS = frozenset({"tf.reduce_mean", "tf.math.reduce_mean"})
_SUMS = frozenset({"tf.reduce_sum", "tf.math.reduce_sum"})


class UnknownLoss(ValueError):
    """The tool does not know how this loss combines the examples."""

    def __init__(self, node: ast.expr) -> None:
        super().__init__(ast.unparse(node))
        self.node = node


def find_reduction(made: ast.Call) -> str | None:
    """Returns a Keras loss's reduction: "mean", "sum" or "none"; None if unknown."""
    given = names.find_argument(made, "reduction")
    if given is None:
        return "mean" if not made.args else None
    text = names.read_literal(given)
    if text is None and isinstance(given, ast.Attribute):
        text = given.attr
    known = {
        "auto": "mean",
        "sum_over_batch_size": "mean",
        "sum": "sum",
        "none": "none",
    }
    return known.get(str(text).lower())


class LossReader:
    """Reads the losses of one step.

    Args:
      body: the statements of the step.
      given: what its function is given, by its parameters.
      seen: the functions of the file that lead here.
    """

    def __init__(
        self,
        scopes: Scopes,
        body: Sequence[ast.stmt],
        given: Mapping[str, ast.expr],
        seen: frozenset[str] = frozenset(),
    ) -> None:
        self._seen = seen
        self._scopes = scopes
        self._body = body
        self._given = given

    def find_mean_calls(self) -> list[tuple[ast.Call, ast.Call]]:
        """Lists calls of Keras losses that take the mean, with the losses' creation."""
        found = []
        for node in (n for s in self._body for n in walk_breadth_first(s)):
            if isinstance(node, ast.Call):
                made = self._find_object(node.func)
                if made is not None and find_reduction(made) == "mean":
                    found.append((node, made))
                inner = self._read_function(node)
                if inner is not None:
                    found += inner.find_mean_calls()
        return found

    def _read_function(self, call: ast.Call) -> LossReader | None:
        """The reader of a function of the file, such as `compute_loss(model, x, y)`."""
        called = find_definition(self._scopes, call.func)
        if not isinstance(called, ast.FunctionDef) or called.name in self._seen:
            return None
        given = {
            name: self._given.get(names.find_key(value) or "", value)
            for name, value in map_arguments(called, call).items()
        }
        seen = self._seen | {called.name}
        return LossReader(self._scopes, called.body, given, seen)

    def _find_object(self, node: ast.expr) -> ast.Call | None:
        """Finds the call that made an expression's Keras loss object, if it is one."""
        if isinstance(node, ast.Name):
            node = self._given.get(node.id, node)
        made = (
            node
            if isinstance(node, ast.Call)
            else _find_given_value(self._scopes, node)
        )
        if isinstance(made, ast.Call):
            module, _, name = find_keras_name(self._scopes, made.func).rpartition(".")
            if module == "losses" and name[:1].isupper():
                return made
        return None

    def find_division(self, loss: ast.expr) -> Division:
        """Finds how a loss combines the examples of a batch.

        Raises:
          UnknownLoss: the loss is not read.
        """
        if isinstance(loss, ast.Name):
            return self._read_name(loss)
        if isinstance(loss, ast.BinOp):
            return self._read_operation(loss)
        if not isinstance(loss, ast.Call):
            raise UnknownLoss(loss)
        symbol = self._scopes.resolve(loss.func) or ""
        whole = len(loss.args) == 1 and not loss.keywords
        if symbol in _MEANS | _SUMS and whole:
            if self._reduces_itself(loss.args[0]):
                return self.find_division(loss.args[0])  # The mean of one number.
            if not self._is_per_example(loss.args[0]):
                raise UnknownLoss(loss)
            return Division.MEAN if symbol in _MEANS else Division.SUM
        if symbol == "tf.nn.compute_average_loss" and names.find_argument(
            loss, "global_batch_size", 2
        ):
            return Division.SUM
        summed = isinstance(loss.func, ast.Name) and loss.func.id == "sum"
        if (symbol == "tf.add_n" or summed) and whole:
            given = loss.args[0]
            if isinstance(given, ast.Attribute) and given.attr == "losses":
                return Division.CONSTANT  # Of a model: those of its weights.
        made = self._find_object(loss.func)
        does = find_reduction(made) if made is not None else None
        if does in ("mean", "sum"):
            return Division.MEAN if does == "mean" else Division.SUM
        inner = self._read_function(loss)
        last = inner._body[-1] if inner is not None else None
        if inner is not None and isinstance(last, ast.Return) and last.value:
            if not any(
                isinstance(n, ast.Return)
                for s in inner._body[:-1]
                for n in walk_breadth_first(s)
            ):
                return inner.find_division(last.value)
        raise UnknownLoss(loss)

    def _reduces_itself(self, node: ast.expr) -> bool:
        """Whether it is a Keras loss object's mean or sum already."""
        made = self._find_object(node.func) if isinstance(node, ast.Call) else None
        return made is not None and find_reduction(made) != "none"

    def _is_per_example(
        self, node: ast.expr, seen: frozenset[str] = frozenset()
    ) -> bool:
        """Whether nothing in an expression mixes the examples of the batch."""
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.Call):
                symbol = self._scopes.resolve(inner.func) or ""
                axis = names.read_literal(names.find_argument(inner, "axis", 1))
                if "reduce_" in symbol and axis in (None, 0):
                    return False
            if isinstance(inner, ast.Name) and inner.id not in seen:
                values = [
                    n.value
                    for s in self._body
                    for n in walk_breadth_first(s)
                    if isinstance(n, ast.Assign) and inner.id in names.find_binds(n)
                ]
                seen |= {inner.id}
                if not all(self._is_per_example(v, seen) for v in values):
                    return False
        return True

    def _read_name(self, loss: ast.Name) -> Division:
        found: set[Division] = set()
        for node in (n for s in self._body for n in walk_breadth_first(s)):
            if isinstance(node, ast.Assign) and loss.id in names.find_binds(node):
                if not all(isinstance(t, ast.Name) for t in node.targets):
                    raise UnknownLoss(loss)
                if loss.id in names.find_reads(node.value):
                    raise UnknownLoss(node.value)
                found.add(self.find_division(node.value))
            elif (
                isinstance(node, ast.AugAssign)
                and names.find_key(node.target) == loss.id
            ):
                if not isinstance(node.op, ast.Add):
                    raise UnknownLoss(loss)
                found.add(self.find_division(node.value))
        if Division.MEAN in found:
            found.discard(Division.CONSTANT)
        if len(found) != 1:
            raise UnknownLoss(loss)
        return found.pop()

    def _read_operation(self, loss: ast.BinOp) -> Division:
        left, right = loss.left, loss.right
        if isinstance(loss.op, (ast.Mult, ast.Div)) and self._is_number(right):
            return self.find_division(left)
        if isinstance(loss.op, ast.Mult) and self._is_number(left):
            return self.find_division(right)
        if isinstance(loss.op, (ast.Add, ast.Sub)):
            both = {self.find_division(left), self.find_division(right)}
            if both == {Division.MEAN, Division.CONSTANT}:
                return Division.MEAN
            if len(both) == 1:
                return both.pop()
        raise UnknownLoss(loss)

    def _is_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float))
        if isinstance(node, ast.BinOp):
            return self._is_number(node.left) and self._is_number(node.right)
        made = _find_given_value(self._scopes, node)
        return isinstance(made, ast.Constant) and self._is_number(made)


def _find_given_value(scopes: Scopes, node: ast.expr) -> ast.expr | None:
    """Returns the value assigned to a name, or to an attribute of `self`."""
    if isinstance(node, ast.Name) and (made := find_binding(scopes, node)) is not None:
        if not isinstance(made, (ast.Name, ast.Attribute)):
            return made
    if isinstance(node, (ast.Name, ast.Attribute)):
        return values.find_single(scopes, node)
    return None


def _is_handed_on(scopes: Scopes, node: ast.expr) -> bool:
    """Whether a class of the file, or an attribute of `self`, gets the object."""
    around = scopes.parents[node]
    if isinstance(around, ast.keyword):
        around = scopes.parents[around]
    if isinstance(around, ast.Call) and around.func is not node:
        return isinstance(find_definition(scopes, around.func), ast.ClassDef)
    return isinstance(around, ast.Assign) and all(
        isinstance(t, ast.Attribute) and names.find_key(t.value) == "self"
        for t in around.targets
    )


def map_arguments(function: ast.FunctionDef, call: ast.Call) -> Mapping[str, ast.expr]:
    """Maps a function's parameters to a call's arguments."""
    parameters = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    if isinstance(call.func, ast.Attribute):
        parameters = parameters[1:]  # `self` is what stands before the dot.
    found = dict(zip(parameters, call.args, strict=False))
    found.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return found


def find_calls(
    scopes: Scopes, made: ast.Call, step: Step, reader: LossReader
) -> Iterator[ast.Call]:
    """Finds every call of a loss object, in the step and elsewhere.

    Raises:
      Refused: the object is used otherwise.
    """
    yield from (call for call, by in reader.find_mean_calls() if by is made)
    parent = scopes.parents[made]
    if not isinstance(parent, (ast.Assign, ast.Call)):
        return
    given = step.call.args if step.call is not None else []
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, (ast.Name, ast.Attribute)) or not (
            isinstance(node.ctx, ast.Load) and _find_given_value(scopes, node) is made
        ):
            continue
        around_it = scopes.parents[node]
        if isinstance(around_it, ast.Call) and around_it.func is node:
            yield around_it
        elif node not in given and not _is_handed_on(scopes, node):
            raise Refused(
                "D132",
                node,
                "the program passes the loss object on, but the migrated object "
                "does not take the mean any more",
                "Call the loss object where you need its mean, and pass the value on.",
            )
