"""Layers: made at build time, applied in the step."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.user_functions import UserFunctions
from migrate.program.code import join_code, make_code
from migrate.program.ir import Kind, Lift
from migrate.program.scope_defaults import KERNEL
from migrate.program.step_values import describe
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS, LayerRow


class Layers(UserFunctions):
    """Calls of tf.layers functions and classes."""

    def _classify_layer(self, call: ast.Call, symbol: str) -> Kind:
        row = LAYER_FUNCTIONS[symbol]
        self._classify_arguments(call)
        bound = names.bind_arguments(call, ("inputs", *row.parameters))
        if bound is None or "inputs" not in bound:
            self.diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell this layer's arguments apart",
                "Pass them by keyword.",
                symbol,
            )
            return Kind.TENSOR
        self._check_function(call, symbol, bound)
        default = self.defaults.find(call)
        if default is not None:
            bound[KERNEL] = default
        inputs = bound.pop("inputs")
        reuse = bound.pop("reuse", None)
        by_step = [
            name
            for name, value in bound.items()
            if name not in row.call_parameters
            and not isinstance(value, ast.Lambda)
            and self.find_kind(value) in ir.STEP_KINDS
        ]
        if row.seeded and (by_step or names.is_given(bound.get("seed"))):
            given = [
                make_code(f"{name}=", v) for name, v in bound.items() if name != "name"
            ]
            use = make_code(row.seeded, "(", join_code(", ", [inputs, *given]), ")")
            self._lifts.append(Lift(call, "", make_code(), use))
            return Kind.TENSOR
        for argument in by_step:
            self._refuse_value_of_step(
                call,
                bound[argument],
                f"passes it as `{argument}`",
                f"Pass a value as `{argument}` that the program knows when it "
                "builds the graph. If you mean another argument, pass it by "
                "keyword.",
                symbol,
            )
        constructor = [
            make_code(f"{name}=", value)
            for name, value in bound.items()
            if name not in row.call_parameters
        ]
        constructor += [make_code(f"{n}=", text) for n, text in row.list_texts(bound)]
        # A name that is no constant is computed at build time, as it was in TF1.
        name, named = names.read_literal(bound.get("name")), make_code()
        target = row.target
        if self.updated_by and symbol == "tf.layers.batch_normalization":
            target = "tower_normalisation.BatchNormalization"
            constructor.insert(0, make_code(f'updated_by="{self.updated_by}"'))
        if "name" not in bound and row.has_weights:
            name, named = self.name_layer(
                call, row.default_name, target, follows=bool(constructor)
            )
        variable, made = self._name_layer_variable(row, name, reuse)
        if self.reusing or self._may_reuse(reuse):
            if made and isinstance(name, str):
                self.check_made_by_call(call, self.make_full_name(name))
            if row.has_weights:
                numbered = "name" not in bound
                told = row.default_name if numbered else name
                self.check_rounds(call, self.make_full_name(told), numbered)
        arguments = make_code(join_code(", ", constructor), named)
        create = make_code(target, "(", arguments, ")") if made else make_code()
        at_call = [
            make_code(f"{n}=", bound[n]) for n in row.call_parameters if n in bound
        ]
        use = make_code(variable, "(", join_code(", ", [inputs, *at_call]), ")")
        self._lifts.append(Lift(call, variable, create, use))
        return Kind.TENSOR

    def _check_made_of_values(self, call: ast.Call, symbol: str) -> None:
        """Refuses a layer object that the program makes from what only a step has.

        layer = tf.layers.Dense(x)
        """
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        for value in given:
            if isinstance(value, ast.Lambda):
                continue  # The layer calls it in the step.
            if self.find_kind(value) in ir.STEP_KINDS:
                self._refuse_value_of_step(
                    call,
                    value,
                    "makes the layer from it",
                    "Make the layer from values that the program knows when it builds "
                    "the graph, and call the layer with the tensor.",
                    symbol,
                )

    def _refuse_value_of_step(
        self, call: ast.Call, value: ast.expr, use: str, recipe: str, symbol: str
    ) -> None:
        """Refuses a value of the step that a layer's constructor would need."""
        self.diagnostics.refuse(
            "N151",
            call,
            f"`{ast.unparse(value)}` {describe(self.scopes, value).value}, and the "
            f"program {use}. But the layer is made before any step",
            recipe,
            symbol,
        )

    def _number_layers_anew(self) -> None:
        """A scope that is entered by its name numbers its layers from the first, each time.

        So did `variable_scope`, which forgot its numbers where it was left: layers without
        names are the same ones where the scope is entered again to reuse them.
        """
        scope = self.make_full_name("")
        for key in [k for k in self.layer_counts if scope and k.startswith(scope)]:
            del self.layer_counts[key]

    def _name_layer_variable(
        self, row: LayerRow, name: object, reuse: ast.expr | None
    ) -> tuple[str, bool]:
        """The name that holds a layer, and whether the layer is made here."""
        shared = self.make_full_name(name) if isinstance(name, str) else None
        if (
            shared is not None
            and shared in self.created
            and (self.reusing or self._may_reuse(reuse))
        ):
            return self.created[shared], False
        wish = name if isinstance(name, str) else row.default_name
        wish = wish.rpartition("/")[2].replace("-", "_")
        variable = self.choose_free_name(
            wish, f"{wish}_layer", f"{row.default_name}_layer"
        )
        if shared is not None and row.has_weights:
            self.created[shared] = variable
        return variable, True

    def _check_function(
        self, call: ast.Call, symbol: str, bound: dict[str, ast.expr]
    ) -> None:
        """Refuses what TF1's function did that the layer's class does otherwise."""
        training = bound.get("training")
        normalises = symbol == "tf.layers.batch_normalization" and training is not None
        if (
            normalises
            and names.read_literal(training) is not False
            and not any(
                u == "tf.GraphKeys.UPDATE_OPS" for _, u in self.scopes.walk_uses()
            )
        ):
            self.diagnostics.refuse(
                "L123",
                call,
                "nothing runs UPDATE_OPS. TensorFlow 1 never moved the averages "
                "that evaluation uses, but Keras would",
                "Make the update under tf.control_dependencies of UPDATE_OPS, or "
                "leave `training` out.",
                symbol,
            )
        for argument in ("kernel_regularizer", "bias_regularizer", "gamma_regularizer"):
            if names.is_given(bound.get(argument)):
                self.diagnostics.refuse(
                    "V103",
                    call,
                    "regularisers collect losses, and the tool does not carry this "
                    "over",
                    "Add the penalty to the loss yourself.",
                    symbol,
                )
        if (
            normalises
            and self.updated_by
            and training is not None
            and self.find_kind(training) in ir.STEP_KINDS
        ):
            self.diagnostics.refuse(
                "N126",
                call,
                "a tensor decides whether the towers normalise batches",
                "Build the evaluation separately, with training=False.",
                symbol,
            )

    def _lift_layer(self, layer: ast.Call) -> None:
        """`tf.layers.Dense(1)(x)`: the layer is made at build time, under a name."""
        symbol = self.scopes.resolve(layer.func)
        row = LAYER_CLASSES.get(symbol or "")
        name = names.read_literal(names.find_argument(layer, "name"))
        # A Keras layer's, or of the program's own class of such.
        kind = (
            (symbol or names.find_key(layer.func) or "layer").rpartition(".")[2].lower()
        )
        wish = name if isinstance(name, str) else row.default_name if row else kind
        wish = wish.rpartition("/")[2].replace("-", "_")
        variable = self.choose_free_name(wish, f"{wish}_layer")
        self._lifts.append(Lift(layer, variable, make_code(layer), make_code(variable)))
