"""TF1 to TF1: the tensors that a Keras model was made of, as a call of the model.

    predictions = model.output                 model_input = tf.placeholder(
    ...                                            tf.float32, model.input_shape)
    sess.run(loss, {model.inputs[0]: x})       predictions = model(model_input)
                                               sess.run(loss, {model_input: x})

In TF1 a model's input was a placeholder, and its output a tensor of the graph.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.feeds.view import View, feed_argument
from migrate.normalise.keras.models import Models
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_graphs

_ONE = {"input": "input", "output": "output", "inputs": "input", "outputs": "output"}


def call_models(text: Text) -> Text:
    """The text in which models are called on placeholders, and inputs are placeholders."""
    if "keras" not in text.source or "Session" not in text.source:
        return text
    text = _drop_empty_updates(text)
    while True:
        new = _Tensors(text).rewrite_model()
        if new is None:
            break
        text = new
    return text


def _drop_empty_updates(text: Text) -> Text:
    """`model.updates` of models whose layers have none is an empty list."""
    if ".updates" not in text.source:
        return text
    models = Models(view := View(text))
    if models.updates:
        return text
    return text.apply_edits(
        [
            Edit(node, "[]")
            for node in walk_breadth_first(view.tree)
            if isinstance(node, ast.Attribute)
            and node.attr == "updates"
            and models.is_model(node.value)
        ]
    )


class _Tensors:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._view = View(text)
        self._models = Models(self._view)

    def rewrite_model(self) -> Text | None:
        """The text with one model's tensors written out; None if there is none."""
        if self._models.tensorflow is None:
            return None
        by_model: dict[ast.Assign, list[tuple[ast.expr, str]]] = {}
        for node in walk_breadth_first(self._view.tree):
            if not (isinstance(node, ast.Attribute) and node.attr in _ONE):
                continue
            if self._is_parameter(node.value):
                return None  # Whose tensors these are is seen once it is brought here.
            made = self._models.find_binding(node.value)
            if made is None or not self._models.makes_model(made.value):
                continue
            use = self._find_whole(node)
            if use is None:
                return None
            by_model.setdefault(made, []).append((use, _ONE[node.attr]))
        for made in self._find_assigned_models():
            found = self._find_symbolic(made)
            if found:
                by_model.setdefault(made, []).extend(found)
        for made, uses in by_model.items():
            new = self._write_model_call(made, uses)
            if new is not None:
                return new
        return self._rewrite_lone_input()

    def _is_parameter(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        owner = self._view.scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        return any(isinstance(b, ast.arg) for b in bound)

    def _find_whole(self, node: ast.Attribute) -> ast.expr | None:
        """`model.inputs[0]` around `model.inputs`; None for other uses of the list."""
        if node.attr in ("input", "output"):
            return node
        around = self._view.scopes.parents[node]
        if isinstance(around, ast.Subscript) and names.read_literal(around.slice) == 0:
            return around
        return None

    def _find_assigned_models(self) -> list[ast.Assign]:
        return [
            node
            for node in walk_breadth_first(self._view.tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and self._view.scopes.resolve(node.value.func) in keras_graphs.MODELS
            and self._models.find_binding(node.targets[0]) is node
        ]

    def _find_symbolic(self, made: ast.Assign) -> list[tuple[ast.expr, str]]:
        """Uses of what a model was made of, after it was made."""
        assert isinstance(made.value, ast.Call)
        found: list[tuple[ast.expr, str]] = []
        for role in ("input", "output"):
            position = 0 if role == "input" else 1
            given = names.find_argument(
                made.value, f"{role}s", position
            ) or names.find_argument(made.value, role)
            if isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1:
                given = given.elts[0]
            if (
                not isinstance(given, ast.Name)
                or self._models.find_binding(given) is None
            ):
                continue
            for node in walk_breadth_first(self._view.tree):
                if (
                    isinstance(node, ast.Name)
                    and node.id == given.id
                    and isinstance(node.ctx, ast.Load)
                    and self._models.find_binding(node)
                    is self._models.find_binding(given)
                    and node.lineno > (made.end_lineno or made.lineno)
                    and not self._is_in_keras(node)
                ):
                    found.append((node, role))
        return found

    def _is_in_keras(self, node: ast.AST) -> bool:
        """Whether a layer or another model is applied to it."""
        while not isinstance(node, ast.stmt):
            node = self._view.scopes.parents[node]
            if isinstance(node, ast.Call):
                symbol = self._view.scopes.resolve(node.func) or ""
                made = self._view.scopes.resolve(getattr(node.func, "func", node.func))
                if symbol in keras_graphs.MODELS or keras_graphs.makes_layer(
                    made or ""
                ):
                    return True
        return False

    def _write_model_call(
        self, made: ast.Assign, uses: list[tuple[ast.expr, str]]
    ) -> Text | None:
        """A model's tensors as a placeholder and a call, after the model is made."""
        home = self._view.find_function(made)
        (target,) = made.targets
        assert isinstance(target, ast.Name) and isinstance(made.value, ast.Call)
        if not self._is_single(made.value):
            return None
        suite = self._view.find_suite(made)
        last: ast.stmt = made
        for statement in suite[suite.index(made) + 1 :]:
            if not self._adds(statement, target.id):
                break
            last = statement
        begin = last.end_lineno or last.lineno
        if not self._text.is_alone(last) or any(
            self._view.find_function(u) is not home and home is not self._view.tree
            for u, _ in uses
        ):
            return None
        if any(
            self._view.find_function(u) is home and u.lineno <= begin for u, _ in uses
        ):
            return None
        fed = self._view.choose_free_name(f"{target.id}_input", self._view.tree)
        given = self._view.choose_free_name(f"{target.id}_output", self._view.tree)
        indent, tf = self._view.indent(made), self._models.tensorflow
        lines = [
            f"{indent}{fed} = {tf}.placeholder({tf}.float32, {target.id}.input_shape)"
        ]
        if any(role == "output" for _, role in uses):
            lines.append(f"{indent}{given} = {target.id}({fed})")
        edits = [Edit(use, fed if role == "input" else given) for use, role in uses]
        done = self._text.apply_edits(edits)
        origin = self._text.origins[made.lineno - 1]
        return done.splice(begin + 1, begin, lines, [origin] * len(lines))

    def _adds(self, statement: ast.stmt, model: str) -> bool:
        """`model.add(...)`, or `model.summary()`."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        return (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and names.find_key(call.func.value) == model
            and call.func.attr in keras_graphs.MAKES
        )

    def _is_single(self, call: ast.Call) -> bool:
        """Whether a model has one input, of floats, and one output."""
        nodes = [call]
        function = self._models.find_definition(call.func)
        if function is not None:
            nodes = [n for n in walk_breadth_first(function) if isinstance(n, ast.Call)]
        inputs = 0
        for node in nodes:
            symbol = self._view.scopes.resolve(node.func) or ""
            if any(k.arg in ("dtype", "sparse", "batch_shape") for k in node.keywords):
                if symbol.startswith("tf.keras."):
                    return False
            if symbol in keras_graphs.INPUTS:
                inputs += 1
            if symbol in keras_graphs.MODELS and not symbol.endswith("Sequential"):
                for position, role in enumerate(("input", "output")):
                    given = names.find_argument(node, f"{role}s", position)
                    given = given or names.find_argument(node, role)
                    several = isinstance(given, (ast.List, ast.Tuple))
                    if several and len(given.elts) != 1:  # type: ignore[union-attr]
                        return False
        return inputs < 2

    def _rewrite_lone_input(self) -> Text | None:
        """`x = tf.keras.Input((4,))` of no model, which is fed: a placeholder."""
        fed = {
            self._models.find_binding(key)
            for call in walk_breadth_first(self._view.tree)
            if isinstance(argument := feed_argument(call), ast.Dict)
            for key in argument.keys
            if key is not None
        }
        models = [
            n
            for n in walk_breadth_first(self._view.tree)
            if isinstance(n, ast.Call) and self._models.makes_model(n)
        ]
        for made in fed:
            call = made.value if made is not None else None
            if models or not isinstance(call, ast.Call):
                continue
            if self._view.scopes.resolve(call.func) not in keras_graphs.INPUTS:
                continue
            bound = names.bind_arguments(call, ("shape",)) or {}
            if not {"shape"} <= set(bound) <= {"shape", "dtype", "name"}:
                continue
            tf = self._models.tensorflow
            shape = self._text.find_segment(bound["shape"])
            dtype = f"{tf}.float32"
            if "dtype" in bound:
                dtype = self._text.find_segment(bound["dtype"])
            name = ""
            if "name" in bound:
                name = f", name={self._text.find_segment(bound['name'])}"
            new = f"{tf}.placeholder({dtype}, [None, *{shape}]{name})"
            return self._text.apply_edits([Edit(call, new)])
        return None
