"""Writes learning rates that steps are fed as variables that each step sets.

    current_rate = tf.Variable(0.0, trainable=False)
    optimizer = tf.compat.v1.train.AdamOptimizer(current_rate)
    ...
    def train_step(x, rate):
        ...
        current_rate.assign(rate)

An optimizer of TF1 reads its rate at each update, and a function of TensorFlow 2 reads a
variable after what was assigned above.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Program
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.plan import Item, Keep, New, Plan
from migrate.program.code import make_code

_RATES = "tf.float32"


class FedRates:
    """The rates that optimizers take from what a step is fed."""

    def __init__(
        self, program: Program, plan: Plan, new: dict[ast.stmt, list[Item]]
    ) -> None:
        self._program = program
        self._scopes: Scopes = program.scopes
        self._plan = plan
        self._new = new

    def rewrite(self) -> None:
        """Writes each rate's variable above its optimizer, and sets it in the steps.

        Raises:
          NotKnown: a rate is not a parameter of its steps, or not a float32.
        """
        for call in self._program.feeds:
            _, value = call.args
            if not self._is_rate(value):
                raise NotKnown
        for name, calls in self._group_optimizers():
            variable = self._choose_name(name)
            for place, call in enumerate(calls):
                statement = self._find_statement(call, calls[0])
                self._plan.replace(call, make_code(variable))
                if not place:
                    tf = self._program.tensorflow
                    made = f"{variable} = {tf}.Variable(0.0, trainable=False)"
                    note = "# Each step sets the rate that it is fed."
                    self._new[statement] = [
                        New(make_code(f"{note}\n{made}"), statement),
                        Keep(statement),
                    ]
            for call in self._program.feeds:
                if _read_name(call) == name:
                    self._plan.replace(
                        call, make_code(f"{variable}.assign(", call.args[1], ")")
                    )

    def _group_optimizers(self) -> Iterator[tuple[str, list[ast.Call]]]:
        """By the name of what is fed, the calls that ask for it, in order."""
        rates = sorted(self._program.rates, key=lambda call: call.lineno)
        for name in dict.fromkeys(map(_read_name, rates)):
            yield name, [call for call in rates if _read_name(call) == name]

    def _find_statement(self, call: ast.Call, first: ast.Call) -> ast.stmt:
        """Returns the statement that makes an optimizer, in the same suite as the first."""
        optimizer = self._scopes.parents[call]
        if isinstance(optimizer, ast.keyword):
            optimizer = self._scopes.parents[optimizer]
        symbol = isinstance(optimizer, ast.Call) and self._scopes.resolve(
            optimizer.func
        )
        statement = self._scopes.parents[optimizer]
        if (
            not symbol
            or not symbol.startswith("tf.train.")
            or not symbol.endswith("Optimizer")
            or not isinstance(statement, ast.Assign)
            or statement in self._new
        ):
            raise NotKnown
        if call is not first:
            other = self._find_statement(first, first)
            suite = names.find_suite(self._scopes.parents[other], other) or []
            if statement not in suite:
                raise NotKnown
        return statement

    def _is_rate(self, value: ast.expr) -> bool:
        """Whether a value is a parameter of its step, a number of float32."""
        function = self._scopes.find_scope(value).node
        step = (
            self._program.steps.get(function)
            if isinstance(function, ast.FunctionDef)
            else None
        )
        if step is None or not isinstance(value, ast.Name):
            return False
        order = [a.arg for a in step.function.args.args]
        specs = step.decorator.args
        if value.id not in order or len(specs) != len(order):
            return False
        match specs[order.index(value.id)]:
            case ast.Call(args=[ast.List([]) | ast.Constant(None), type_]):
                return self._scopes.resolve(type_) == _RATES
        return False

    def _choose_name(self, name: str) -> str:
        chosen = f"current_{name}"
        bound = any(
            chosen in scope.bindings for scope in self._scopes.scope_by_node.values()
        )
        if bound or not chosen.isidentifier():
            raise NotKnown
        return chosen


def _read_name(call: ast.Call) -> str:
    """The name under which a rate is fed and asked for."""
    name = call.args[0]
    assert isinstance(name, ast.Constant)
    return str(name.value)
