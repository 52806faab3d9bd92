"""contrib's `optimize_loss` as what it does: an optimizer, its rate, gradients and summaries.

train_op = tf.contrib.layers.optimize_loss(    with tf.variable_scope("OptimizeLoss"):
    loss, step, 0.1, "Adam")                       learning_rate = tf.get_variable(
                                                       "learning_rate", [], ...)
                                                   optimizer = tf.train.AdamOptimizer(
                                                       learning_rate)
                                                   ...
                                                   train_op = optimizer.apply_gradients(...)

A rate that is a number is a variable, which checkpoints have: training goes on with the rate
that it had.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.specs import SPECS
from migrate.normalise.model_forms.parts import (
    find_free_name,
    find_own_statement,
    indent,
    spell_expression,
)
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_training as table
from migrate.tables import keras_models
from migrate.tables.optimizers import OPTIMIZERS


class _Not(Exception):
    """A call that stays: it is not certain what it does."""


def write_out_call(
    text: Text, scopes: Scopes, function: ast.FunctionDef
) -> Text | None:
    """The text with one more such call written out; None if there is none."""
    for call in walk_breadth_first(function):
        if not isinstance(call, ast.Call):
            continue
        if scopes.resolve(call.func) not in table.OPTIMIZE_LOSS:
            continue
        try:
            return _Call(text, scopes, function, call).run()
        except _Not:
            continue
    return None


@dataclasses.dataclass(frozen=True)
class _Rate:
    """A learning rate.

    Attributes:
      text: as an expression; "" where there is none.
      held: whether a variable holds it.
    """

    text: str
    held: bool


class _Call:
    """Writes one of them."""

    def __init__(
        self, text: Text, scopes: Scopes, function: ast.FunctionDef, call: ast.Call
    ) -> None:
        self._text, self._scopes = text, scopes
        self._function, self._call = function, call
        bound = names.bind_arguments(call, table.OPTIMIZE_LOSS_PARAMETERS)
        if bound is None or not {"loss", "optimizer"} <= bound.keys():
            raise _Not
        self._given = {n: v for n, v in bound.items() if not is_none_constant(v)}
        self._tf = next(
            (
                n
                for n in scopes.module.bindings
                if scopes.find_imported_path(n) == "tensorflow"
            ),
            "",
        )
        self._lines: list[str] = []

    def run(self) -> Text:
        """Returns the text with the call written out.

        Raises:
          _Not: it is not certain that it is that.
        """
        if not self._tf or set(self._given) - table.READ:
            raise _Not
        choice = self._scopes.parents.get(self._call)
        if isinstance(choice, ast.IfExp):
            return self._write_branch(choice)
        statement = find_own_statement(
            self._call, self._function, self._text, self._scopes
        )
        if statement is None:
            raise _Not
        target = self._find_name(statement)
        if not target:
            return self._name_train_op(statement)
        self._write(target)
        margin = indent(self._text, statement)
        lines = [margin + line if line else "" for line in self._lines]
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        origins = [self._text.origins[first - 1]] * len(lines)
        return self._text.splice(first, last, lines, origins)

    def _find_name(self, statement: ast.stmt) -> str:
        """Returns the name of the call's value; "" if it has no name."""
        if isinstance(statement, ast.Assign) and statement.value is self._call:
            (target, *others) = statement.targets
            if others or not isinstance(target, ast.Name):
                raise _Not
            return target.id
        return ""

    def _write_branch(self, choice: ast.IfExp) -> Text:
        """The text with `update if test else None` as an if."""
        statement = find_own_statement(choice, self._function, self._text, self._scopes)
        if not isinstance(statement, ast.Assign) or statement.value is not choice:
            raise _Not
        if choice.body is not self._call or not is_none_constant(choice.orelse):
            raise _Not
        target, margin = statement.targets[0], indent(self._text, statement)
        if len(statement.targets) > 1 or not isinstance(target, ast.Name):
            raise _Not
        lines = [
            f"{margin}{target.id} = None",
            f"{margin}if {self._spell_expression(choice.test)}:",
            *f"{margin}    {target.id} = {self._text.find_segment(self._call)}".split(
                "\n"
            ),
        ]
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        origins = [self._text.origins[first - 1]] * len(lines)
        return self._text.splice(first, last, lines, origins)

    def _name_train_op(self, statement: ast.stmt) -> Text:
        """The text with a name for what EstimatorSpec is given."""
        word = self._scopes.parents.get(self._call)
        spec = self._scopes.parents.get(word) if word is not None else None
        if not isinstance(word, ast.keyword) or not isinstance(spec, ast.Call):
            raise _Not
        if self._scopes.resolve(spec.func) not in SPECS or word.arg != "train_op":
            raise _Not
        if getattr(statement, "value", None) is not spec:
            raise _Not
        name = find_free_name("train_op", self._function, self._scopes)
        value = spell_expression(self._text, self._call)
        lines = f"{indent(self._text, statement)}{name} = {value}".split("\n")
        at = statement.lineno
        origins = [self._text.origins[self._call.lineno - 1]] * len(lines)
        edited = self._text.apply_edits([Edit(self._call, name)])
        return edited.splice(at, at - 1, lines, origins)

    def _write(self, target: str) -> None:
        tf, given = self._tf, self._given
        scope = names.read_literal(given["name"]) if "name" in given else table.SCOPE
        if not isinstance(scope, str) or not scope:
            raise _Not
        summaries = self._find_summaries()
        step = self._write_step()
        loss = self._find_segment("loss")
        if not isinstance(given["loss"], ast.Name):
            name = self._choose_free_name("loss")
            self._lines.append(f"{name} = {loss}")
            loss = name
        self._lines.append(f'with {tf}.variable_scope("{scope}"):')
        rate = self._write_rate(step, summaries)
        optimizer = self._write_optimizer(rate)
        updates = given.get("update_ops")
        if updates is not None and not self._is_update_ops(updates):
            raise _Not
        collected = f"{tf}.get_collection({tf}.GraphKeys.UPDATE_OPS)"
        self._add(f"with {tf}.control_dependencies({collected}):")
        chosen = self._find_segment("variables")
        of = f", var_list={chosen}" if chosen else ""
        clip = self._write_clip()
        normed = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if "loss" in summaries:
            self._add(f'    {tf}.summary.scalar("loss", {loss})')
        if clip is None and not normed:
            update = f"{optimizer}.minimize({loss}, global_step={step}{of})"
            self._add(f"    {target} = {update}")
            return
        gradients, variables = (
            self._choose_free_name("gradients"),
            self._choose_free_name("variables"),
        )
        computed = f"{optimizer}.compute_gradients({loss}{of})"
        self._add(f"    {gradients}, {variables} = zip(*{computed})")
        norm = f"{tf}.global_norm({gradients})"
        if normed:
            self._write_summary("global_norm/gradient_norm", norm)
        if clip is not None:
            clipped = f"{tf}.clip_by_global_norm({gradients}, {clip})"
            self._add(f"    {gradients}, _ = {clipped}")
            if normed:
                self._write_summary("global_norm/clipped_gradient_norm", norm)
        update = f"zip({gradients}, {variables}), global_step={step}"
        self._add(f"    {target} = {optimizer}.apply_gradients({update})")

    def _write_summary(self, name: str, value: str) -> None:
        self._add(f"    {self._tf}.summary.scalar(")
        self._add(f'        "{name}", {value})')

    def _write_step(self) -> str:
        step = (
            self._find_segment("global_step") or f"{self._tf}.train.get_global_step()"
        )
        if "learning_rate_decay_fn" not in self._given or step.isidentifier():
            return step
        name = self._choose_free_name("global_step")
        self._lines.append(f"{name} = {step}")
        return name

    def _add(self, line: str) -> None:
        self._lines.append("    " + line)

    def _choose_free_name(self, name: str) -> str:
        return find_free_name(name, self._function, self._scopes)

    def _find_segment(self, name: str) -> str:
        """An argument's text, in one line; "" where it is not given."""
        node = self._given.get(name)
        return "" if node is None else self._spell_expression(node)

    def _spell_expression(self, node: ast.expr) -> str:
        text = self._text.find_segment(node)
        return ast.unparse(node) if "\n" in text else text

    def _find_summaries(self) -> frozenset[str]:
        node = self._given.get("summaries")
        if node is None:
            return table.SUMMARIES
        if not isinstance(node, (ast.List, ast.Tuple)):
            raise _Not
        found = {names.read_literal(item) for item in node.elts}
        if not found <= table.SUMMARIES:
            raise _Not  # Of each gradient there would be one.
        return frozenset(str(name) for name in found)

    def _is_update_ops(self, node: ast.expr) -> bool:
        """Whether it is the collection that is used if the argument is missing."""
        if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
            return False
        if self._scopes.resolve(node.func) != keras_models.COLLECTION:
            return False
        return self._scopes.resolve(node.args[0]) == "tf.GraphKeys.UPDATE_OPS"

    def _write_clip(self) -> str | None:
        node = self._given.get("clip_gradients")
        if node is None:
            return None
        if not isinstance(names.read_literal(node), float) and not self._is_flag(node):
            raise _Not  # None, a function, or an integer, of which TF1 made an error.
        return self._spell_expression(node)

    def _is_flag(self, node: ast.expr) -> bool:
        """Whether it is a flag that is a number by default."""
        return isinstance(node, ast.Attribute) and any(
            isinstance(call, ast.Call)
            and (self._scopes.resolve(call.func) or "").endswith(".DEFINE_float")
            and [names.read_literal(a) for a in call.args[:1]] == [node.attr]
            and isinstance(
                names.read_literal(names.find_argument(call, "default", 1)), float
            )
            for call in self._scopes.walk()
        )

    def _write_rate(self, step: str, summaries: frozenset[str]) -> _Rate:
        """The rate's statements, and what the optimizer is given."""
        node = self._given.get("learning_rate")
        if node is None:
            return _Rate("", False)
        tf = self._tf
        kind = _Kinds(self._function, self._scopes).classify(node)
        if kind is None:
            raise _Not
        text, held = self._spell_expression(node), kind == "number"
        if held:
            name = self._choose_free_name("learning_rate")
            self._add(f'{name} = {tf}.get_variable("learning_rate", [], ')
            self._add(
                f"    trainable=False, initializer={tf}.constant_initializer({text}))"
            )
            text = name
        elif kind == "constant":
            assert isinstance(node, ast.Call)
            text = self._spell_expression(node.args[0])
        decay = self._given.get("learning_rate_decay_fn")
        if decay is None:
            return _Rate(text, held)
        decayed = self._inline_call(decay, [text, step])
        name = self._choose_free_name("decayed_rate")
        self._add(f"{name} = {decayed}")
        if "learning_rate" in summaries:
            self._add(f'{tf}.summary.scalar("learning_rate", {name})')
        return _Rate(name, held)

    def _inline_call(self, node: ast.expr, arguments: list[str]) -> str:
        """Writes the call of a function, or the value of a lambda in its place."""
        if isinstance(node, ast.Lambda):
            places = node.args.args
            plain = ast.arguments([], places, None, [], [], None, [])
            if len(places) != len(arguments) or ast.dump(node.args) != ast.dump(plain):
                raise _Not
            if any(
                isinstance(n, (ast.Lambda, ast.comprehension))
                for n in walk_breadth_first(node.body)
            ):
                raise _Not
            values = {place.arg: a for place, a in zip(places, arguments, strict=True)}
            return ast.unparse(_Replaced(values).visit(_copy_expression(node.body)))
        if isinstance(node, ast.Name) and self._scopes.find_function(node) is not None:
            return f"{node.id}({', '.join(arguments)})"
        raise _Not

    def _write_optimizer(self, rate: _Rate) -> str:
        """The name of the optimizer, with its statement."""
        node, tf = self._given["optimizer"], self._tf
        text = names.read_literal(node)
        if isinstance(text, str):
            if text not in table.BY_NAME or not rate.text:
                raise _Not
            symbol, more = table.BY_NAME[text]
            made = f"{tf}.{symbol}({rate.text}{more})"
        elif (self._scopes.resolve(node) or "") in OPTIMIZERS:
            if not rate.text or not self._takes_rate(node):
                raise _Not
            made = f"{self._spell_expression(node)}({rate.text})"
        elif (
            isinstance(node, ast.Call) and self._scopes.resolve(node.func) in OPTIMIZERS
        ):
            made = self._write_instance(node, rate)
        elif isinstance(node, ast.Name) and self._makes(node):
            self._write_instance(node, rate)
            return node.id
        else:
            made = self._inline_call(node, [rate.text] if rate.text else [])
        name = self._choose_free_name("optimizer")
        self._add(f"{name} = {made}")
        return name

    def _write_instance(self, node: ast.expr, rate: _Rate) -> str:
        if rate.held:
            raise _Not  # The variable would be there, and nothing would read it.
        return self._spell_expression(node)

    def _takes_rate(self, node: ast.expr) -> bool:
        """Whether a class takes a rate before all else."""
        return (self._scopes.resolve(node) or "").startswith("tf.train.")

    def _makes(self, node: ast.Name) -> bool:
        """Whether a name of the model_fn is an optimizer."""
        own = self._scopes.scope_by_node[self._function]
        bound = own.bindings.get(node.id, [])
        value = getattr(bound[0], "value", None) if len(bound) == 1 else None
        return isinstance(value, ast.Call) and (
            self._scopes.resolve(value.func) in OPTIMIZERS
        )


class _Kinds:
    """Whether a rate is a number of Python's, or a tensor."""

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        self._function, self._scopes = function, scopes
        self._open: set[str] = set()

    def classify(self, node: ast.expr) -> str | None:
        """Returns "number", "tensor" or "constant" (a one-number tensor), or None."""
        if isinstance(node, ast.Constant):
            return "number" if isinstance(node.value, float) else None
        if isinstance(node, ast.Name):
            return self._spell_name(node)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            root: ast.expr = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if isinstance(root, ast.Name) and self._is_outside(root):
                return "number"
            return None
        if isinstance(node, ast.BinOp):
            kinds = {
                "number" if isinstance(side, ast.Constant) else self.classify(side)
                for side in (node.left, node.right)
            }
            if None in kinds or "constant" in kinds:
                return None
            return "tensor" if "tensor" in kinds else "number"
        if isinstance(node, ast.Call):
            return self._spell_call(node)
        return None

    def _spell_call(self, node: ast.Call) -> str | None:
        symbol = self._scopes.resolve(node.func)
        if symbol == "tf.constant":
            plain = len(node.args) == 1 and not node.keywords
            number = plain and isinstance(
                names.read_literal(node.args[0]), (int, float)
            )
            return "constant" if number else None
        if symbol is not None:
            host = symbol.startswith(keras_models.HOST)
            return None if host else "tensor"
        if isinstance(node.func, ast.Name) and node.func.id == "float":
            return "number"
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            root = node.func.value
            default = node.args[1] if len(node.args) > 1 else None
            if isinstance(root, ast.Name) and self._is_outside(root):
                if isinstance(names.read_literal(default), float):
                    return "number"
        return None

    def _is_outside(self, node: ast.Name) -> bool:
        """Whether a name is a parameter, or of the module: nothing that the graph makes."""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or owner is self._scopes.module:
            return owner is not None
        return all(isinstance(bound, ast.arg) for bound in owner.bindings[node.id])

    def _spell_name(self, node: ast.Name) -> str | None:
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or node.id in self._open:
            return None
        self._open.add(node.id)
        kinds = {
            "number"
            if isinstance(bound, ast.arg)
            else self.classify(bound.value)
            if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Name)
            else None
            for bound in owner.bindings[node.id]
        }
        self._open.discard(node.id)
        return kinds.pop() if len(kinds) == 1 else None


class _Replaced(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replaces a name by its expression, if it has one."""
        text = self._values.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


def _copy_expression(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body
