"""Classifies calls of TensorFlow and of methods by the kind of their result."""

from __future__ import annotations

import ast

from migrate.facts import global_steps, names
from migrate.program import ir
from migrate.program.binding_time.gradients import Gradients
from migrate.program.binding_time.lattice import join
from migrate.program.binding_time.vocabulary import SETUP_KINDS
from migrate.program.code import Code, make_code
from migrate.program.graph_functions import GIVES_COLLECTED
from migrate.program.ir import Kind
from migrate.tables import contrib_graph, roles
from migrate.tables.layers import LAYER_FUNCTIONS
from migrate.tables.recurrent import WRAPPERS

_ASSIGNMENTS = frozenset({"assign", "assign_add", "assign_sub", "scatter_update"})


class Calls(Gradients):
    """Calls by symbol and by method."""

    def _classify_arguments(self, call: ast.Call) -> Kind:
        kind = Kind.HOST
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            if isinstance(argument, ast.Starred):
                argument = argument.value
            kind = join(kind, self.classify_expression(argument))
        return kind

    def _classify_call(self, call: ast.Call) -> Kind:
        symbol = self.scopes.resolve(call.func)
        if symbol is not None:
            return self._classify_symbol_call(call, symbol)
        if self._makes_fed_dataset(call):
            self.fed_datasets.add(call)
            return Kind.DATASET
        if self._makes_hook(call):
            self._classify_arguments(call)
            return Kind.HOOK
        if self._find_keras_subclass(call) is not None:
            return self._classify_subclass(call)
        times = self._analyse_user_function(call)
        if times is not None:
            return self._classify_user_call(call, times)
        if isinstance(call.func, ast.Attribute):
            return self._classify_method_call(call, call.func)
        if isinstance(call.func, ast.Name):
            kind = self.environment.get(call.func.id)
            if kind in (Kind.LAYER, Kind.MODEL):
                return self._classify_applied(call)
            if kind is Kind.SCHEDULE:
                return Kind.TENSOR
        if isinstance(call.func, ast.Name) and call.func.id in ("len", "type", "id"):
            self._classify_arguments(call)
            if self._classify_arguments_quietly(call) is Kind.VARIABLE:
                return Kind.HOST
        made = self.classify_expression(call.func)
        if isinstance(call.func, ast.Name) and call.func.id in ("set", "frozenset"):
            for argument in call.args:
                if self.find_kind(argument) in (Kind.VARIABLE, Kind.TENSOR):
                    self._hash_refused(argument)
        inside = self._classify_arguments(call)
        if inside is Kind.SYMBOLIC:
            return Kind.SYMBOLIC
        if made in (Kind.LAYER, Kind.MODEL) and isinstance(call.func, ast.Call):
            self._lift_layer(call.func)
            return Kind.TENSOR
        if inside in (Kind.PLACEHOLDER, Kind.ELEMENT, Kind.VARIABLE):
            return Kind.TENSOR
        return inside if inside in ir.STEP_KINDS or inside is Kind.PURE else Kind.HOST

    def _makes_hook(self, call: ast.Call) -> bool:
        """Whether a call makes a hook of one of the program's own classes."""
        return (
            isinstance(call.func, ast.Name)
            and self._find_definition(call.func) in self.own_hooks
        )

    def _classify_symbol_call(self, call: ast.Call, symbol: str) -> Kind:
        if symbol in LAYER_FUNCTIONS:
            return self._classify_layer(call, symbol)
        if symbol in contrib_graph.GRAPH:
            return self._classify_graph_call(call, symbol)
        if symbol.startswith("tf.keras."):
            made = self._classify_keras_call(call, symbol)
            if made is not None:
                return made
        if symbol in roles.PYTHON_FUNCTIONS or symbol in roles.KEEPING:
            return self._refuse_process_call(call, symbol)
        if symbol in roles.FIRST_VALUES:
            return self._refuse_first_values(call, symbol)
        if symbol == "tf.get_collection":
            return self._classify_collection(call)
        if symbol == "tf.add_to_collection" and len(call.args) == 2:
            added = self._classify_collected(call)
            if added is not None:
                return added
        if symbol == "tf.group" and call.args and not call.keywords:
            if all(self.find_kind(a) is Kind.INITIALIZER_OP for a in call.args):
                return Kind.INITIALIZER_OP
        kind = roles.KIND_OF_CALL.get(symbol)
        if kind is not None:
            return self._classify_known_call(call, symbol, kind)
        if symbol in roles.TRAINABLE or symbol in (
            "tf.global_variables",
            "tf.all_variables",
        ):
            return self.listed
        if symbol == "tf.gradients":
            return self._classify_gradients(call)
        if roles.has_prefix(symbol, roles.HOST_PREFIXES):
            self._classify_arguments(call)
            return Kind.HOST
        if symbol.startswith(roles.DATASET_PREFIXES):
            return self._classify_dataset(call, symbol)
        return self._classify_computed(call, symbol)

    def _refuse_process_call(self, call: ast.Call, symbol: str) -> Kind:
        """Refuses calls that another process, or another step function, cannot make."""
        self._classify_arguments(call)
        if symbol in roles.PYTHON_FUNCTIONS:
            self.diagnostics.refuse(
                "N115",
                call,
                "the graph calls a Python function, but the worker that makes the "
                "step is another process and does not have the function",
                "Compute the value by TensorFlow. Or compute it in the loop, and "
                "feed it.",
                symbol,
            )
        else:
            self.diagnostics.refuse(
                "C140",
                call,
                "this queue or table keeps elements from one run to the next, "
                "but each step function would create a new, empty one",
                "If a thread fills the queue, write what the thread produces "
                "as a Python generator, and read it with "
                "tf.data.Dataset.from_generator. In place of a table, keep a "
                "dict in the loop, look the values up there, and feed them.",
                symbol,
            )
        return Kind.TENSOR

    def _refuse_first_values(self, call: ast.Call, symbol: str) -> Kind:
        """Refuses a call that replaces initial values: its variables may be made later."""
        self._classify_arguments(call)
        self.diagnostics.refuse(
            "N104",
            call,
            "in TensorFlow 1 this replaces the initializers of variables by values of a "
            "checkpoint. In TensorFlow 2 a variable has its value when it is made",
            "Restore the variables after the initializers ran: "
            'tf.train.Saver({"name in the checkpoint": variable}).restore(sess, path).',
            symbol,
        )
        return Kind.HOST

    def _classify_collection(self, call: ast.Call) -> Kind:
        """Returns the kind of `tf.get_collection`."""
        key = self.scopes.resolve(call.args[0]) if call.args else None
        if key == "tf.GraphKeys.UPDATE_OPS":
            return Kind.UPDATE_OPS
        if key in (
            "tf.GraphKeys.TRAINABLE_VARIABLES",
            "tf.GraphKeys.GLOBAL_VARIABLES",
        ):
            return self.listed
        # The collection of a step function's own graph holds the values collected there.
        if key is not None and not self.graph.used:
            self.diagnostics.refuse(
                "N105",
                call,
                "TF2 keeps no graph collections",
                "Keep the values in a list of your own.",
                "tf.get_collection",
            )
        return Kind.TENSOR

    def _classify_collected(self, call: ast.Call) -> Kind | None:
        """Returns the kind of the value in `tf.add_to_collection`, if it matters."""
        if self.find_kind(call.args[1]) is Kind.INITIALIZER_OP:
            return Kind.INITIALIZER_OP
        if global_steps.is_counter(self.scopes, call):
            self._classify_arguments(call)
            return Kind.VARIABLE
        if self.scopes.resolve(call.args[0]) == "tf.GraphKeys.UPDATE_OPS":
            self.diagnostics.refuse(
                "N105",
                call,
                "TF2 keeps no graph collections, so the update would be lost",
                "Keep the update in a list, and run it under tf.control_dependencies.",
                "tf.add_to_collection",
            )
        return None

    def _classify_known_call(self, call: ast.Call, symbol: str, kind: Kind) -> Kind:
        """Returns the kind of the result of a function of a known kind."""
        inside = self._classify_arguments(call)
        if symbol in roles.KEEP_SHAPE:
            self._check_shape_stays(call, symbol)
        if kind is Kind.VARIABLE and symbol not in roles.GLOBAL_STEPS:
            self._check_initial_value(call, inside)
            return self._classify_variable(call, symbol)
        if inside not in ir.STEP_KINDS:
            return kind
        if kind is Kind.SCHEDULE:
            return (
                Kind.TENSOR
            )  # For example of a fed step: computed where that is known.
        if kind is Kind.LAYER and symbol in WRAPPERS:
            return Kind.TENSOR  # Made in the step, of a cell that was made once.
        if kind is Kind.LAYER:
            self._check_made_of_values(call, symbol)
        return kind

    def _check_shape_stays(self, call: ast.Call, symbol: str) -> None:
        """Refuses `validate_shape=False`: TF2's variable keeps the shape of its value."""
        given = names.find_argument(call, "validate_shape", roles.KEEP_SHAPE[symbol])
        if given is None or names.read_literal(given) is True:
            return
        self.diagnostics.refuse(
            "V103",
            call,
            "in TensorFlow 1 this variable may get a value of another shape "
            "(validate_shape). In TensorFlow 2 it cannot",
            "Make the variable as large as its largest value. Or leave "
            "validate_shape out if the shape never changes.",
            symbol,
        )

    def _classify_dataset(self, call: ast.Call, symbol: str) -> Kind:
        inside = self._classify_arguments(call)
        if symbol.endswith(("make_one_shot_iterator", "make_initializable_iterator")):
            return Kind.ITERATOR
        if symbol in roles.REINITIALIZABLE | roles.FEEDABLE:
            return Kind.ITERATOR
        if inside in ir.STEP_KINDS:
            self.diagnostics.refuse(
                "I101",
                call,
                "the program makes a dataset from placeholders",
                "Pass the arrays to from_tensor_slices directly.",
                symbol,
            )
        return Kind.DATASET

    def _classify_computed(self, call: ast.Call, symbol: str) -> Kind:
        """Returns the kind of the result of a function of which nothing else is known."""
        if not symbol.startswith("tf."):
            inside = self._classify_arguments(call)
            if symbol.startswith("keras."):
                self._refuse_keras(
                    call, "this is Keras, but not the one of TensorFlow", symbol
                )
            if inside is Kind.PURE:
                return Kind.PURE
            return Kind.TENSOR if inside in ir.STEP_KINDS else Kind.HOST
        if roles.is_initializer(symbol):
            self._classify_arguments(call)
            return Kind.HOST
        inside = self._classify_arguments(call)
        if inside in ir.STEP_KINDS or inside in (Kind.VARIABLE, Kind.SCHEDULE):
            return Kind.TENSOR
        if symbol in ("tf.control_dependencies", "tf.device", *roles.SCOPES):
            return Kind.HOST
        return Kind.PURE

    def _classify_graph_call(self, call: ast.Call, symbol: str) -> Kind:
        """Classifies a function of contrib, which stays graph code in the steps."""
        inside = self._classify_arguments(call)
        if self.function is not None and symbol in contrib_graph.MAKES:
            what = self.graph.find_obstacle(self.function)
            self.diagnostics.refuse(
                "N123",
                call,
                f"`{self.function.name}` makes layers of contrib, and also does "
                f"something else: `{what or 'a method of its own'}`",
                "Make the layers in a separate function that returns tensors.",
                symbol,
            )
        makes = symbol in contrib_graph.MAKES or symbol in GIVES_COLLECTED
        return Kind.TENSOR if makes or inside in ir.STEP_KINDS else Kind.HOST

    def _check_initial_value(self, call: ast.Call, inside: Kind) -> None:
        if inside in ir.STEP_KINDS:
            self.diagnostics.refuse(
                "N104",
                call,
                "a variable's initial value or shape depends on a tensor of the step",
                "Compute it from Python values.",
                self.scopes.resolve(call.func) or "",
            )

    def _classify_variable(self, call: ast.Call, symbol: str) -> Kind:
        """Classifies `tf.Variable` and `get_variable`; resolves sharing by name."""
        if symbol != "tf.get_variable":
            return Kind.VARIABLE
        full = self.make_full_name(
            names.read_literal(names.find_argument(call, "name", 0))
        )
        if self.reusing:
            self.check_rounds(call, full, numbered=False)
        if full is not None and full in self.created and self.reusing:
            self.shared[call] = self.created[full]
            return Kind.VARIABLE
        if self.reusing and self.graph.used:
            self.diagnostics.refuse(
                "N123",
                call,
                "this asks for a variable of a scope that is entered again. Layers "
                "of contrib may have made it, and they make their variables in the "
                "step functions",
                "Ask for the variable in the function that makes the layers.",
                symbol,
            )
        if self.reusing:
            self.check_made_by_call(call, full)
            self._check_made_at_all(call, full)
        if full is not None and self._target_hint:
            self.created[full] = self._target_hint
        return Kind.VARIABLE

    def _check_made_at_all(self, call: ast.Call, full: str | None) -> None:
        """Refuses a variable of a layer, or one that a scope must find and that nothing made.

        `with tf.variable_scope("dense", reuse=True): tf.get_variable("kernel", [3, 4])` gives
        the layer's own weights in TF1. Here it would make a second variable.
        """
        blocks, _ = self.find_surroundings(call)
        of_layer = full is not None and full.rpartition("/")[0] in self.created
        if not of_layer and self.find_block_reuse(blocks) != ("constant", "True"):
            return
        self.diagnostics.refuse(
            "V103",
            call,
            "this asks for a variable that there is already, and the tool does not see "
            "which statement makes it. A layer makes its own variables in its first step",
            "Make the variable by tf.get_variable, and compute with it what the layer "
            "computes.",
            "tf.get_variable",
        )

    def _classify_method_call(self, call: ast.Call, function: ast.Attribute) -> Kind:
        kind = roles.OF_NORMAL_FORM.get(names.find_key(function) or "")
        if kind is not None:
            inside = self._classify_arguments(call)
            if kind is Kind.METRIC and inside in ir.STEP_KINDS:
                self.diagnostics.refuse(
                    "M120",
                    call,
                    "a step computes how many totals a metric has",
                    "Compute it from Python values.",
                    "tf.metrics",
                )
            return kind
        base = self.classify_expression(function.value)
        method = function.attr
        if base is Kind.OPTIMIZER and method in roles.OPTIMIZER_METHODS:
            return self._classify_optimizer_call(call, function)
        inside = self._classify_arguments(call)
        if method in ("remove", "index", "count") and inside in (
            *ir.STEP_KINDS,
            Kind.VARIABLE,
        ):
            self.diagnostics.refuse(
                "V127",
                call,
                f"list.{method} compares variables and tensors, and TensorFlow 2 "
                "compares them by value",
                "Search the list by `is`.",
            )
        if base is Kind.OPTIMIZER:
            if method == "make_session_run_hook":
                return Kind.HOOK
            if method in ("get_chief_queue_runner", "get_init_tokens_op"):
                return Kind.INITIALIZER_OP
            return Kind.TENSOR if method == "get_slot" else Kind.HOST
        if base is Kind.AVERAGES:
            kinds = {"apply": Kind.OPERATION, "average": Kind.TENSOR}
            return kinds.get(method, Kind.HOST)
        if base is Kind.METRIC:
            return Kind.TENSOR if method in ("value", "update") else Kind.HOST
        if base is Kind.ITERATOR:
            return Kind.ELEMENT if method == "get_next" else Kind.INITIALIZER_OP
        if base is Kind.DATASET:
            if method in ("make_one_shot_iterator", "make_initializable_iterator"):
                return Kind.ITERATOR
            return Kind.DATASET
        if method == "get_shape" and base in (
            Kind.VARIABLE,
            Kind.PLACEHOLDER,
            Kind.TENSOR,
            Kind.ELEMENT,
        ):
            return self._classify_static_shape(function.value, base)
        if base is Kind.VARIABLE:
            if method in _ASSIGNMENTS:
                return Kind.ASSIGNMENT
            if method == "initialized_value":
                return Kind.PURE
            return Kind.TENSOR
        if base is Kind.MODEL:
            return self._classify_model_method(call, method)
        if base is Kind.LAYER:
            return Kind.SYMBOLIC if inside is Kind.SYMBOLIC else Kind.TENSOR
        if base is Kind.PURE:
            return Kind.TENSOR if inside in ir.STEP_KINDS else Kind.PURE
        if base in ir.STEP_KINDS:
            return Kind.TENSOR
        if base in (Kind.WRITER, Kind.SAVER, Kind.SCAFFOLD, Kind.HOOK):
            return Kind.HOST
        if base in SETUP_KINDS:
            return Kind.HOST
        if inside in (Kind.PLACEHOLDER, Kind.ELEMENT):
            return Kind.TENSOR
        if inside in ir.STEP_KINDS:
            return Kind.TENSOR
        if inside is Kind.PURE and isinstance(function.value, ast.Constant):
            return Kind.PURE  # `"{}".format(x)`
        return Kind.HOST

    def _note_placeholder(self, target: ast.expr, call: ast.Call) -> None:
        name = names.find_key(target)
        symbol = self.scopes.resolve(call.func)
        if name is None:
            self.diagnostics.refuse(
                "S105",
                call,
                "the placeholder is not assigned to a variable",
                "Assign the placeholder to a variable of its own: x = "
                "tf.placeholder(...).",
                symbol=symbol or "",
            )
            return
        if symbol == "tf.placeholder":
            dtype = names.find_argument(call, "dtype", 0)
            shape = names.find_argument(call, "shape", 1)
            default = None
            parts: list[str | ast.AST | Code] = ["tf.TensorSpec("]
            parts.append(shape if shape is not None else "None")
            if dtype is not None:
                parts += [", ", dtype]
        else:
            default = names.find_argument(call, "input", 0)
            shape = names.find_argument(call, "shape", 1)
            parts = ["tf.TensorSpec(", shape if shape is not None else "None"]
            if default is not None:
                parts += [", tf.convert_to_tensor(", default, ").dtype"]
        parts.append(")")
        self.placeholders[name] = ir.Placeholder(
            name,
            name.replace("self.", "").replace(".", "_"),
            make_code(*parts),
            default,
        )
        self.placeholder_calls[call] = name
