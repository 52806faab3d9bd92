"""A class of tf_keras.Model that `fit` trains: what it may have, and what changes in it."""

from __future__ import annotations

import ast
import dataclasses

from migrate.backends.keras_fit.program import Stays
from migrate.facts.scopes import Scopes
from migrate.plan import Dropped, New, Plan
from migrate.program.code import code, joined
from migrate.source.nodes import all_nodes
from migrate.tables import keras_fit as table

_STEPS = frozenset({"tf.train.get_global_step", "tf.train.get_or_create_global_step"})
_SUMMARY = "tf.summary."
_SCALAR = "tf.summary.scalar"
_COUNTER = 'Variable(0, dtype={tf}.int64, trainable=False, name="global_step")'


@dataclasses.dataclass(frozen=True, eq=False)
class ModelClass:
    """A class, and what is planned for it.

    Attributes:
      hooks: its methods that give hooks of training.
      trains, evaluates, predicts: whether it says how.
      logs: keys of what its step of training returns.
    """

    node: ast.ClassDef
    hooks: tuple[str, ...]
    evaluates: bool
    predicts: bool
    exports: bool


def plan_class(node: ast.ClassDef, scopes: Scopes, plan: Plan, tf: str) -> ModelClass:
    """Plans what changes in a class of a model.

    Args:
      tf: the file's name for TensorFlow.

    Raises:
      Stays: it has something that an Estimator did and `fit` does not.
    """
    return _Class(node, scopes, plan, tf).run()


class _Class:
    def __init__(
        self, node: ast.ClassDef, scopes: Scopes, plan: Plan, tf: str
    ) -> None:
        self._node, self._scopes, self._plan, self._tf = node, scopes, plan, tf
        self._methods = {
            s.name: s for s in node.body if isinstance(s, ast.FunctionDef)
        }

    def run(self) -> ModelClass:
        if [self._scopes.import_path(base) for base in self._node.bases] != [
            "tf_keras.Model"
        ]:
            raise Stays(self._node, f"{self._node.name} is not a Keras model alone")
        for name, method in self._methods.items():
            if name in table.UNSAID_METHODS:
                raise Stays(method, table.UNSAID_METHODS[name])
        self._check_variables()
        self._check_optimizer()
        self._global_step()
        self._summaries()
        hooks = [n for n in ("training_hooks", "training_chief_hooks")]
        return ModelClass(
            self._node,
            tuple(name for name in hooks if name in self._methods),
            "test_step" in self._methods,
            "predict_step" in self._methods,
            "export_outputs" in self._methods,
        )

    def _check_variables(self) -> None:
        """All variables are saved: weights of layers, slots, and nothing else."""
        for node in all_nodes(self._methods["train_step"]):
            match node:
                case ast.Call(func=ast.Attribute(attr="apply"), args=[given]):
                    if ast.unparse(given) == "self.trainable_variables":
                        raise Stays(node, "moving averages of its variables are kept")
                case ast.Assign(targets=[ast.Name("variables")], value=value):
                    if ast.unparse(value) != "self.trainable_variables":
                        raise Stays(node, "it trains some of its variables only")

    def _check_optimizer(self) -> None:
        applied = [
            node
            for node in all_nodes(self._node)
            if isinstance(node, ast.Attribute) and node.attr == "apply_gradients"
        ]
        if [ast.unparse(node.value) for node in applied] != ["self.optimizer"]:
            raise Stays(self._node, "it has more than one optimizer")

    # -- the global step ---------------------------------------------------------------

    def _global_step(self) -> None:
        """The step is the model's own: `self.optimizer.iterations`."""
        init = self._methods["__init__"]
        own = set(all_nodes(init))
        calls = [
            node
            for node in all_nodes(self._node)
            if isinstance(node, ast.Call) and self._scopes.resolve(node.func) in _STEPS
        ]
        inside = [call for call in calls if call in own]
        (counted,) = [
            s
            for s in init.body
            if isinstance(s, ast.Assign)
            and ast.unparse(s.targets[0]) == "self.optimizer.iterations"
        ]
        for call in calls:
            if call not in own:
                self._plan.replace(call, code("self.optimizer.iterations"))
        if inside == [counted.value]:  # Keras's own counter will do.
            self._plan.statements[counted] = [Dropped(counted)]
            return
        made = f"{self._tf}.{_COUNTER.format(tf=self._tf)}"
        named = [c for c in inside if isinstance(self._scopes.parents[c], ast.Assign)]
        first = named[0] if named and named[0] is not counted.value else None
        if first is not None:
            self._plan.replace(first, code(made))
            target = self._scopes.parents[first].targets[0]  # type: ignore[attr-defined]
            for call in inside:
                if call is not first:
                    self._plan.replace(call, code(ast.unparse(target)))
            return
        statement: ast.AST = inside[0]
        while self._scopes.parents[statement] is not init:
            statement = self._scopes.parents[statement]
        assert isinstance(statement, ast.stmt)
        from migrate.plan import Keep

        self._plan.statements[statement] = [
            New(code(f"global_step = {made}")),
            Keep(statement),
        ]
        for call in inside:
            self._plan.replace(call, code("global_step"))

    # -- summaries ---------------------------------------------------------------------

    def _summaries(self) -> None:
        """What a step of training writes is among what it returns."""
        told: list[tuple[ast.expr, ast.expr]] = []
        step = self._methods["train_step"]
        for node in all_nodes(self._node):
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func) or ""
            if not symbol.startswith(_SUMMARY):
                continue
            statement = self._scopes.parents[node]
            if (
                symbol != _SCALAR
                or not isinstance(statement, ast.Expr)
                or self._scopes.parents[statement] is not step
                or len(node.args) != 2
                or node.keywords
            ):
                raise Stays(node, "a step writes summaries that are no single numbers")
            told.append((node.args[0], node.args[1]))
            self._plan.statements[statement] = [Dropped(statement)]
        if told:
            self._return(step, told)

    def _return(
        self, step: ast.FunctionDef, told: list[tuple[ast.expr, ast.expr]]
    ) -> None:
        last = step.body[-1]
        match last:
            case ast.Return(value=ast.Dict(keys=keys, values=values)):
                pass
            case _:
                raise Stays(step, "what its step returns is not in sight")
        names = {ast.literal_eval(k) for k in keys if isinstance(k, ast.Constant)}
        for tag, _ in told:
            if not isinstance(tag, ast.Constant) or tag.value in names:
                raise Stays(tag, "a summary has no name of its own")
            names.add(tag.value)
        pairs = [
            *(code(k, ": ", v) for k, v in zip(keys, values) if k is not None),
            *(code(tag, ": ", value) for tag, value in told),
        ]
        self._plan.statements[last] = [
            New(code("return {", joined(", ", pairs), "}"), last)
        ]
