"""`optimizer.minimize` of eager code, as a tape, its gradient and apply_gradients.

def loss_fn():                                    with tf.GradientTape() as tape:
    return mse(y, model(x))                           loss = mse(y, model(x))
optimizer.minimize(loss_fn, model.weights)        gradients = tape.gradient(loss, ...)
                                                  optimizer.apply_gradients(zip(...))
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.feeds.view import View, flatten_expression, list_returns
from migrate.normalise.text import Text
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first

_PARAMETERS = ("loss", "var_list", "grad_loss", "name", "tape")
_V1_PARAMETERS = ("loss", "global_step", "var_list")


def write_tape(text: Text) -> Text | None:
    """The text with one `minimize` less, None if none is left to be written."""
    if ".minimize(" not in text.source:
        return None
    view = View(text)
    for node in view.scopes.walk():
        if isinstance(node, ast.Call) and find_method(node) == "minimize":
            found = _Minimised(view, node).rewrite()
            if found is not None:
                return found
    return None


class _Minimised:
    def __init__(self, view: View, call: ast.Call) -> None:
        self._view = view
        self._call = call
        self._lines: list[str] = []
        self._origins: list[int] = []

    def rewrite(self) -> Text | None:
        view, call = self._view, self._call
        statement = view.scopes.parents[call]
        assert isinstance(call.func, ast.Attribute)
        if not isinstance(statement, ast.Expr) or not view.text.is_alone(statement):
            return None
        of_v1 = self._is_of_v1(call.func.value)
        bound = names.bind_arguments(call, _V1_PARAMETERS if of_v1 else _PARAMETERS)
        if (
            bound is None
            or "loss" not in bound
            or {"grad_loss", "global_step"} & set(bound)
        ):
            return None
        over = bound.get("var_list")
        if over is None and not of_v1:
            return None
        function = view.find_function(statement)
        at = statement.lineno
        indent = view.indent(statement)
        tape = view.choose_free_name("tape", function)
        start: ast.stmt = statement
        if "tape" in bound:
            tape, loss = ast.unparse(bound["tape"]), ast.unparse(bound["loss"])
        elif isinstance(bound["loss"], ast.Lambda):
            if names.find_reads(bound["loss"]) and bound["loss"].args.args:
                return None
            loss = view.choose_free_name("loss", function)
            self._add(f"{indent}with tf.GradientTape() as {tape}:", at)
            self._add(
                f"{indent}    {loss} = {flatten_expression(view.text, bound['loss'].body)}",
                at,
            )
        else:
            defined = self._find_loss_function(statement, bound["loss"])
            if defined is None:
                return None
            start, loss = defined, view.choose_free_name("loss", function)
            self._add_body(defined, indent, tape, loss)
        variables = f"{tape}.watched_variables()"
        if over is not None:
            given = over.body if isinstance(over, ast.Lambda) else over
            variables = flatten_expression(view.text, given)
        grads = view.choose_free_name("gradients", function)
        kept = view.choose_free_name("variables", function)
        optimizer = ast.unparse(call.func.value)
        self._add(f"{indent}{kept} = {variables}", at)
        self._add(f"{indent}{grads} = {tape}.gradient({loss}, {kept})", at)
        self._add(f"{indent}{optimizer}.apply_gradients(zip({grads}, {kept}))", at)
        end = statement.end_lineno or at
        return view.text.splice(start.lineno, end, self._lines, self._origins)

    def _is_of_v1(self, optimizer: ast.expr) -> bool:
        made = find_binding(self._view.scopes, optimizer)
        symbol = (
            self._view.scopes.resolve(made.func) if isinstance(made, ast.Call) else ""
        )
        return (symbol or "").startswith("tf.train.")

    def _add(self, line: str, origin: int) -> None:
        self._lines.append(line)
        self._origins.append(self._view.text.origins[origin - 1])

    def _find_loss_function(
        self, statement: ast.stmt, loss: ast.expr
    ) -> ast.FunctionDef | None:
        """The function of the loss, if it stands right before and nothing else calls it."""
        suite = self._view.find_suite(statement)
        index = suite.index(statement)
        found = suite[index - 1] if index else None
        if (
            not isinstance(loss, ast.Name)
            or not isinstance(found, ast.FunctionDef)
            or found.name != loss.id
            or found.decorator_list
            or ast.unparse(found.args)
            or found.body[0].lineno == found.lineno
        ):
            return None
        last = found.body[-1]
        if (
            not isinstance(last, ast.Return)
            or last.value is None
            or len(list_returns(found)) != 1
        ):
            return None
        function = self._view.find_function(found)
        inside = set(walk_breadth_first(found))
        own = {n for s in found.body for n in names.find_binds(s)}
        for node in walk_breadth_first(function):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                return None
            if isinstance(node, ast.Name) and node not in inside:
                if node.id in own or (node.id == found.name and node is not loss):
                    return None
        return found

    def _add_body(
        self, function: ast.FunctionDef, indent: str, tape: str, loss: str
    ) -> None:
        """The lines of a function as those of the tape's block."""
        text = self._view.text
        last = function.body[-1]
        assert isinstance(last, ast.Return) and last.value is not None
        self._add(f"{indent}with tf.GradientTape() as {tape}:", function.lineno)
        for number in range(function.lineno + 1, last.lineno):
            line = text.lines[number - 1]
            if number >= function.body[0].lineno or line.strip().startswith("#"):
                self._add(line, number)
        given = flatten_expression(text, last.value)
        self._add(f"{self._view.indent(last)}{loss} = {given}", last.lineno)
