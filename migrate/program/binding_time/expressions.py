"""Classifies expressions: the kind of each, from the kinds of its parts."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.calls import Calls
from migrate.program.binding_time.lattice import find_element_kind, join
from migrate.program.binding_time.vocabulary import SETUP_KINDS
from migrate.program.ir import Kind
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import roles

_BUILT_LAYER = frozenset(
    {"kernel", "bias", "weights", "variables", "trainable_weights", "losses"}
    | {"trainable_variables", "non_trainable_variables", "updates", "count_params"}
    | {"gamma", "beta", "moving_mean", "moving_variance", "get_weights"}
)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Expressions(Calls):
    """Classifies any expression."""

    def find_kind(self, node: ast.expr) -> Kind:
        """Returns the kind of an analysed expression, without side effects."""
        lifts, update = self._lifts, self._update
        count = len(self.diagnostics.findings)
        layer_counts = dict(self.layer_counts)
        taken, staged, created = (
            set(self.taken),
            dict(self.staged_calls),
            dict(self.created),
        )
        self._lifts, self._update = [], None
        kind = self.classify_expression(node)
        self._lifts, self._update = lifts, update
        del self.diagnostics.findings[count:]
        self.layer_counts, self.taken = layer_counts, taken
        self.staged_calls, self.created = staged, created
        return kind

    def _classify_closure(self, node: ast.FunctionDef | ast.Lambda) -> Kind:
        """Returns TENSOR for a function that needs the step's tensors, as for `tf.cond`."""
        own = {a.arg for a in walk_breadth_first(node.args) if isinstance(a, ast.arg)}
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                own |= names.find_binds(statement)
        free = names.find_reads(node) - own
        step = any(self.environment.get(name) in ir.STEP_KINDS for name in free)
        return Kind.TENSOR if step else Kind.HOST

    def _may_reuse(self, node: ast.expr | None) -> bool:
        return (
            node is not None
            and names.read_literal(node) is not False
            and not (isinstance(node, ast.Constant) and node.value is None)
        )

    def classify_expression(self, node: ast.expr) -> Kind:
        """Returns the kind of an expression's value, and records lifts on the way."""
        if isinstance(node, ast.Constant):
            return Kind.HOST
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._classify_reference(node)
        if isinstance(node, ast.Call):
            return self._classify_call(node)
        if isinstance(node, ast.Lambda):
            return self._classify_closure(node)
        if isinstance(node, ast.Dict):
            self._check_hashed_keys([key for key in node.keys if key is not None])
        if isinstance(node, ast.Set):
            self._check_hashed_keys(node.elts)
        kind = Kind.HOST
        for generator in getattr(node, "generators", ()):
            source = self.classify_expression(generator.iter)
            each = find_element_kind(source)
            self._bind(generator.target, each, ())
            kind = join(kind, each)
            for condition in generator.ifs:
                self.classify_expression(condition)
        if isinstance(node, (ast.DictComp, ast.SetComp)):
            hashed = node.key if isinstance(node, ast.DictComp) else node.elt
            self._check_hashed_keys([hashed])
        made = Kind.HOST
        for child in list_children(node):
            if isinstance(child, ast.expr):
                made = join(made, self.classify_expression(child))
        if isinstance(node, _COMPREHENSIONS) and kind is Kind.VARIABLE:
            # Attributes of variables are plain Python: `[v.name for v in variables]`.
            kind = made
        kind = join(kind, made)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            self._rewrite_identity(node)
        if isinstance(node, ast.Compare) and all(
            isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops
        ):
            return Kind.HOST  # Known before the tensor's value.
        if kind is Kind.VARIABLE and self._is_list_of_variables(node):
            return kind
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)):
            if kind in (Kind.VARIABLE, Kind.PLACEHOLDER, Kind.ELEMENT, Kind.SCHEDULE):
                return Kind.TENSOR
        elif kind in (Kind.PLACEHOLDER, Kind.ELEMENT, Kind.SCHEDULE) and isinstance(
            node, (ast.Tuple, ast.List, ast.Dict)
        ):
            return Kind.TENSOR
        return kind

    def _classify_reference(self, node: ast.Name | ast.Attribute) -> Kind:
        symbol = self.scopes.resolve(node)
        if symbol is not None:
            if symbol.startswith("tf."):
                if roles.is_initializer(symbol):
                    return Kind.HOST
                return Kind.HOST
            return Kind.HOST
        name = names.find_key(node)
        if name is not None and name in self.environment:
            return self.environment[name]
        if isinstance(node, ast.Attribute):
            base = self.classify_expression(node.value)
            if base is Kind.ITERATOR and node.attr == "initializer":
                return Kind.INITIALIZER_OP
            if base in (Kind.VARIABLE, Kind.PLACEHOLDER, Kind.TENSOR, Kind.ELEMENT):
                if node.attr in ("name", "dtype", "op", "graph", "device"):
                    return Kind.HOST
                if node.attr == "shape":
                    return self._classify_static_shape(node.value, base)
                return Kind.TENSOR
            if base is Kind.ASSIGNMENT and node.attr == "op":
                return (
                    Kind.OPERATION
                )  # `sess.run(update.op)` runs the update, and returns nothing.
            if base is Kind.MODEL:
                return self._classify_model_attribute(node)
            if base is Kind.LAYER and node.attr in _BUILT_LAYER:
                self.diagnostics.refuse(
                    "N105",
                    node,
                    "the program asks for something that a layer has only after it "
                    "is built, but a layer is built in the first step",
                    "Use the program's own variables in its place.",
                )
            if base is Kind.OPTIMIZER:
                is_init = node.attr.endswith("init_op")
                return Kind.INITIALIZER_OP if is_init else Kind.HOST
            return Kind.HOST if base in SETUP_KINDS or base is Kind.HOST else base
        return Kind.HOST

    def _classify_static_shape(self, tensor: ast.expr, kind: Kind) -> Kind:
        """Classifies `x.shape`, which is known when the step is traced, before any value."""
        if kind is Kind.VARIABLE:
            return Kind.HOST
        name = names.find_key(tensor)
        if name is None:
            return Kind.TENSOR
        self.static_reads[tensor] = name
        return Kind.PURE
