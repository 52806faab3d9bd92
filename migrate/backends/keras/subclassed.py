"""Writes a model that is not functional: its `__init__`, and its `call`."""

from __future__ import annotations

import ast

from migrate.backends.keras import layers
from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras.shared import Shared
from migrate.facts import names
from migrate.frontends.model_fn import recurrent
from migrate.plan import Block, Dropped, Item, Keep, New
from migrate.program.code import Code, make_code
from migrate.program.keras_layers import Layer, Weight
from migrate.program.keras_model import Called, Step
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables import recurrent as cells

_HANG = "    "
_WEIGHT = ("K105", "a variable of the model, under TF1's name")
_CELL = ("L104", "of recurrent_cells.py: the same variables under the same names")
_LOOKUP = ("K105", "kept: its variable is in one part")
# With its own name, the model would prefix its layers' variables. Keras would also cast
# features to float32.
_SUPER = """\
# As in TensorFlow 1: variables are named without the model, features keep their type.
super().__init__(name="", autocast=False)"""


class Subclassed(Shared):
    """Writes the layers and the call of a model whose network is no functional model."""

    def _map_kept_names(self) -> dict[ast.AST, Code]:
        """Maps names of objects that are made once and read in a step to attributes."""
        model = self._model
        kept = {one.name for one in model.tables}
        if model.called is not None:
            kept |= model.called.kept
        own = self._scopes.scope_by_node[model.function]
        return {
            node: make_code(f"self.{self._choose_attribute_name(node.id)}")
            for node in walk_breadth_first(model.function)
            if isinstance(node, ast.Name)
            and node.id in kept
            and self._scopes.find_scope(node).find_owner(node.id) is own
        }

    def _choose_attribute_name(self, name: str) -> str:
        """Returns the attribute for a name of the user's."""
        metrics = {self._choose_attribute(metric) for metric in self._model.metrics}
        return f"{name}_value" if self._is_taken(name) or name in metrics else name

    def _name_layers(self) -> dict[Layer, str]:
        """Returns the attribute of each layer: from its own name, or from its kind."""
        model = self._model
        assert model.called is not None
        taken = {self._choose_attribute_name(name) for name in model.called.kept}
        taken |= {self._choose_attribute(metric) for metric in model.metrics}
        taken |= {self._choose_attribute_name(one.name) for one in model.tables}
        found: dict[Layer, str] = {}
        for layer in model.layers:
            base = layers.find_word(layer.name)
            if not base.isidentifier() or self._is_taken(base):
                base = layer.row.default_name
            attribute, number = base, 0
            while attribute in taken or self._is_taken(attribute):
                number += 1
                attribute = f"{base}_{number}"
            taken.add(attribute)
            found[layer] = attribute
        return found

    def _write_layer_calls(self) -> list[tuple[ast.Call, Code]]:
        """Returns each call of a layer in `call`, with its new form."""
        found = []
        for layer, attribute in self._name_layers().items():
            assert layer.inputs is not None
            training = ""
            if "training" in layer.row.call_parameters:
                training = ", training=training"
            one = self._name_one_layer(attribute) if layer.loop else f"self.{attribute}"
            new = make_code(f"{one}(", layer.inputs, f"{training})")
            found.append((layer.call, new))
        return found

    def _name_one_layer(self, attribute: str) -> str:
        """Returns the name, in a loop, of one of the layers of an attribute."""
        local = self._scopes.scope_by_node[self._model.function].bindings
        return f"{attribute}_layer" if attribute in local else attribute

    def _write_making(self, called: Called) -> list[Item]:
        """Writes `__init__` up to the optimizer: each variable and layer at its place."""
        items: list[Item] = [New(make_code(_SUPER))]
        for name in self._read_by_steps():
            items.append(New(make_code(f"self.{self._name_attribute(name)} = {name}")))
        attributes = self._name_layers()
        weights = {weight.unit: weight for weight in called.weights}
        for unit in self._model.network:
            if unit in weights:
                items += self._list_comments(unit)
                items.append(self._make_item(self._write_weight(weights[unit]), unit))
            elif unit in called.made or unit in called.named:
                items += self._write_units([unit])
            else:
                inside = set(walk_breadth_first(unit.statement))
                items += [
                    self._make_item(self._write_layer(layer, attribute))
                    for layer, attribute in attributes.items()
                    if layer.call in inside
                ]
                items += [
                    self._make_item(self._write_weight(weight))
                    for weight in called.weights
                    if weight.loop is not None and weight.call in inside
                ]
        return items

    def _write_layer(self, layer: Layer, attribute: str) -> Code:
        if layer.loop is None:
            return make_code(
                f"self.{attribute} = ", layers.write_layer_constructor(layer, 8)
            )
        made = layers.write_layer_constructor(layer, 12, hang=_HANG * 2)
        return make_code(f"self.{attribute} = ", _write_loop_list(made, layer.loop))

    def _rewrite_lookups(self, called: Called) -> None:
        """Keeps lookups of rows of a variable, because the variable has only one part."""
        for step in called.steps:
            for node in walk_breadth_first(step.unit.statement):
                if (
                    isinstance(node, ast.Call)
                    and self._scopes.resolve(node.func) == table.LOOKUP
                    and len(node.args) < 3
                    and not any(k.arg == "partition_strategy" for k in node.keywords)
                    and isinstance(node.args[0] if node.args else None, ast.Name)
                ):
                    self._plan.replace(node.func, make_code(table.LOOKUP))
                    self.claimed[node.func] = _LOOKUP

    def _rewrite_cells(self, called: Called) -> None:
        """Replaces recurrent cells, and their loops, by those of recurrent_cells.py."""
        for unit in (*called.made, *(step.unit for step in called.steps)):
            for node, symbol, call in recurrent.find_uses(unit.statement, self._scopes):
                scopes: list[str] = []
                if symbol in cells.LOOPS:
                    scopes = recurrent.list_scopes_around(unit, self._scopes)
                if scopes and call is not None:
                    self._plan.replace(call, _write_scoped_call(call, symbol, scopes))
                else:
                    self._plan.replace(node, make_code(cells.TARGETS[symbol]))
                self._plan.imports.append(f"import {cells.MODULE}")
                self._plan.support.add(f"{cells.MODULE}.py")
                self.claimed[node] = _CELL

    def _write_weight(self, weight: Weight) -> Code:
        statement = weight.unit.statement
        assert isinstance(statement, ast.Assign)
        self.claimed[weight.call.func] = _WEIGHT
        name = layers.name_below(weight.scope, weight.name)
        arguments: list[Argument] = [("", name), *weight.arguments]
        target = statement.targets[0]
        if weight.loop is not None:
            made = laid_out("self.add_weight", arguments, 12, hang=_HANG * 2)
            attribute = f"self.{self._choose_attribute_name(ast.unparse(target))}"
            return make_code(f"{attribute} = ", _write_loop_list(made, weight.loop))
        indent = len(ast.unparse(target)) + 16
        return make_code(target, " = ", laid_out("self.add_weight", arguments, indent))

    def _write_call(self, called: Called) -> Block:
        """Writes the method that computes the network."""
        self._rewrite_lookups(called)
        self._rewrite_cells(called)
        items: list[Item] = [
            New(make_code(f"{name} = self.{self._name_attribute(name)}"))
            for name in self._made_with
            if name in called.reads
        ]
        rest = list(called.steps)
        last = rest.pop() if self._is_returned(called) else None
        items += self._group_steps_by_mode(rest, called)
        if last is not None:
            statement = last.unit.statement
            assert isinstance(statement, ast.Assign)
            items += self._list_comments(last.unit)
            items.append(
                self._make_item(make_code("return ", statement.value), last.unit)
            )
        else:
            items.append(New(make_code(f"return {', '.join(self._model.outputs)}")))
        return Block(
            make_code(f"def call(self, {self._features}, training=False):"),
            items,
            replace={node: make_code(text) for node, text in called.training.items()},
        )

    def _list_made_in_loop(
        self, loop: ast.For, called: Called
    ) -> list[tuple[str, str]]:
        """Returns, for each object that a loop made, its name in a round and its attribute."""
        found = [
            (self._name_one_layer(attribute), f"self.{attribute}")
            for layer, attribute in self._name_layers().items()
            if layer.loop is loop
        ]
        for weight in called.weights:
            if weight.loop is loop:
                statement = weight.unit.statement
                assert isinstance(statement, ast.Assign)
                name = ast.unparse(statement.targets[0])
                found.append((name, f"self.{self._choose_attribute_name(name)}"))
        return found

    def _step_items(self, unit: Unit, called: Called) -> list[Item]:
        """Writes a statement; a loop that made objects now goes over these."""
        loop = unit.statement
        pairs = (
            self._list_made_in_loop(loop, called) if isinstance(loop, ast.For) else []
        )
        if not pairs or not isinstance(loop, ast.For):
            return self._write_units([unit])
        targets = ", ".join(one for one, _ in pairs)
        values = ", ".join(every for _, every in pairs)
        if loop in called.counted:
            left = (
                make_code("(", loop.target, ")")
                if _is_tuple(loop)
                else make_code(loop.target)
            )
            header = make_code(
                "for ", left, f", {targets} in zip(", loop.iter, f", {values}):"
            )
        elif len(pairs) == 1:
            header = make_code(f"for {targets} in {values}:")
        else:
            header = make_code(f"for {targets} in zip({values}):")
        weights = [w.unit.statement for w in called.weights if w.loop is loop]
        items: list[Item] = [Dropped(s) if s in weights else Keep(s) for s in loop.body]
        self._emit(loop)
        return [*self._list_comments(unit), Block(header, items, loop)]

    def _is_returned(self, called: Called) -> bool:
        """Whether the last statement of `call` binds exactly the results."""
        last = called.steps[-1]
        statement = last.unit.statement
        return (
            last.when is None
            and isinstance(statement, ast.Assign)
            and [ast.unparse(t) for t in statement.targets] == list(self._model.outputs)
        )

    def _group_steps_by_mode(self, steps: list[Step], called: Called) -> list[Item]:
        """Writes the statements, those of one mode below an `if`."""
        items: list[Item] = []
        block: Block | None = None
        before: bool | None = None
        for step in steps:
            if step.when is None:
                items += self._step_items(step.unit, called)
                block = None
            elif block is not None and step.when is before and not block.orelse:
                block.items += self._step_items(step.unit, called)
            elif block is not None and step.when is not before:
                block.orelse += self._step_items(step.unit, called)
            else:
                # The comments above the `if` of the model_fn.
                items += self._list_comments(step.unit)
                test = "training" if step.when else "not training"
                block = Block(
                    make_code(f"if {test}:"), self._step_items(step.unit, called)
                )
                items.append(block)
                before = step.when
        return items


def _write_scoped_call(call: ast.Call, symbol: str, scopes: list[str]) -> Code:
    """Writes the call that runs a cell over time, with the scopes of its variables."""
    target = cells.TARGETS[symbol]
    given = names.find_argument(call, "scope")
    scope = names.read_literal(given) if isinstance(given, ast.expr) else None
    scopes = [*scopes, str(scope or cells.find_scope(target))]
    arguments: list[Argument] = [("", argument) for argument in call.args]
    arguments += [(k.arg or "", k.value) for k in call.keywords if k.arg != "scope"]
    arguments.append(("scope", '"' + "/".join(scopes) + '"'))
    return laid_out(target, arguments, call.col_offset)


def _write_loop_list(made: Code, loop: ast.For) -> Code:
    """Writes a list of the objects that a loop makes."""
    of = make_code(f"\n{_HANG}for ", loop.target, " in ", loop.iter, "]")
    return make_code(f"[\n{_HANG}", made, of)


def _is_tuple(loop: ast.For) -> bool:
    return isinstance(loop.target, (ast.Tuple, ast.List))
