"""Plans the changes of a tf_keras.Model class that `fit` trains, and checks its code."""

from __future__ import annotations

import ast
import copy
import dataclasses
import keyword
import re

from migrate.backends.keras_fit.hooks import is_logging
from migrate.backends.keras_fit.program import Stays
from migrate.facts import names as names_
from migrate.facts.reach import find_reached
from migrate.facts.scopes import Scopes
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_fit as table

_STEPS = frozenset({"tf.train.get_global_step", "tf.train.get_or_create_global_step"})
_SUMMARY = "tf.summary."
# The method of a class that returns the scope of its optimizer's variables.
SCOPE = "optimizer_scope"
_SCALAR = "tf.summary.scalar"


@dataclasses.dataclass(frozen=True, eq=False)
class ModelClass:
    """One class, and its plan.

    Attributes:
      hooks: its methods that return hooks of training.
      judges: whether it has hooks of evaluation.
    """

    node: ast.ClassDef
    hooks: tuple[str, ...]
    judges: bool


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The demands of a program on a class.

    Attributes:
      directory: whether the model keeps the directory of its checkpoints.
      builds: whether `__init__` has to take features, and to build the model.
      exported: whether the model is exported.
      replicas: whether a strategy may train it with several.
      named: names of tensors that hooks ask for.
    """

    directory: bool
    builds: bool
    exported: bool
    replicas: bool
    named: frozenset[str]


def plan_class(
    node: ast.ClassDef, scopes: Scopes, plan: Plan, wanted: Wanted
) -> ModelClass:
    """Plans the changes of a model's class.

    Raises:
      Stays: it has something that an Estimator did and `fit` does not do.
    """
    return _Class(node, scopes, plan, wanted).run()


def find_taught_features(class_: ast.ClassDef) -> set[str]:
    """Returns features that only steps of training or evaluation read."""
    taught: set[str] = set()
    others: set[str] = set()
    for method in class_.body:
        for node in walk_breadth_first(method):
            match node:
                case ast.Subscript(value=ast.Name(name), slice=ast.Constant(str(key))):
                    features = _find_taught(method)
                    if features is None:
                        others.add(key)
                    elif name == features:
                        taught.add(key)
    return taught - others


def _find_taught(method: ast.stmt) -> str | None:
    """Returns the name of the features in a step of training or evaluation, or None."""
    match method:
        case ast.FunctionDef(
            name="train_step" | "test_step",
            body=[ast.Assign(targets=[ast.Tuple([ast.Name(features), *_])]), *_],
        ):
            return features
    return None


class _Class:
    def __init__(
        self, node: ast.ClassDef, scopes: Scopes, plan: Plan, wanted: Wanted
    ) -> None:
        self._node, self._scopes, self._plan = node, scopes, plan
        self._wanted = wanted
        self._methods = {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
        self._kept: set[str] = set()  # Names of values that end in a step's result.

    def run(self) -> ModelClass:
        if [self._scopes.import_path(base) for base in self._node.bases] != [
            "tf_keras.Model"
        ]:
            raise Stays(
                self._node, f"`{self._node.name}` does more than a plain Keras model"
            )
        for name, method in self._methods.items():
            if name in table.UNSAID_METHODS:
                raise Stays(method, table.UNSAID_METHODS[name])
        self._check_variables()
        self._check_optimizer()
        self._check_seeds()
        self._plan_optimizer_scope()
        self._plan_global_step()
        self._plan_results()
        of_training = tuple(n for n in table.TRAINING_HOOKS if n in self._methods)
        self._plan_hooks(of_training)
        if not self._wanted.exported and "export_outputs" in self._methods:
            method = self._methods["export_outputs"]
            self._plan.statements[method] = [Dropped(method)]
        if self._wanted.directory or self._wanted.builds:
            self._take_more()
        return ModelClass(
            self._node,
            of_training,
            "evaluation_hooks" in self._methods,
        )

    def _take_more(self) -> None:
        """Makes `__init__` take the directory, or features, too."""
        init, plan = self._methods["__init__"], self._plan
        arguments = copy.deepcopy(init.args)
        items: list[Item] = []
        for statement in init.body:
            items += plan.statements.pop(statement, [Keep(statement)])
        if self._wanted.directory:
            arguments.kwonlyargs.append(ast.arg("model_dir"))
            arguments.kw_defaults.append(None)
            items.append(New(make_code("self.model_dir = model_dir")))
        if self._wanted.builds:
            arguments.args.insert(1, ast.arg("features"))
            items.append(New(make_code("self(features)")))
        header = f"def __init__({ast.unparse(arguments)}):"
        plan.statements[init] = [Block(make_code(header), items, init)]

    def _check_variables(self) -> None:
        """Checks that all variables are saved: weights of layers, slots, and nothing else."""
        for node in walk_breadth_first(self._methods["train_step"]):
            match node:
                case ast.Call(func=ast.Attribute(attr="apply"), args=[given]):
                    if ast.unparse(given) == "self.trainable_variables":
                        raise Stays(
                            node, "the model keeps moving averages of its variables"
                        )
                case ast.Assign(targets=[ast.Name("variables")], value=value):
                    if ast.unparse(value) != "self.trainable_variables":
                        raise Stays(node, "the model trains only some of its variables")

    def _check_optimizer(self) -> None:
        applied = [
            node
            for node in walk_breadth_first(self._node)
            if isinstance(node, ast.Attribute) and node.attr == "apply_gradients"
        ]
        if [ast.unparse(node.value) for node in applied] != ["self.optimizer"]:
            raise Stays(self._node, "the model has several optimizers")

    def _check_seeds(self) -> None:
        for node in walk_breadth_first(self._node):
            if isinstance(node, ast.Attribute) and node.attr in (
                "set_random_seed",
                "set_seed",
            ):
                raise Stays(node, "the model sets a seed for everything after it")
        # An Estimator built a graph for each evaluation, in which draws began again.
        asked = [m for n, m in self._methods.items() if n != "train_step"]
        for part in (*asked, *find_reached(self._scopes, asked)):
            trained = self._find_trained(part)
            for node in walk_breadth_first(part):
                if isinstance(node, ast.Call) and self._draws(node):
                    if node in trained:
                        continue
                    raise Stays(
                        node,
                        "each evaluation draws random numbers from the start again",
                    )

    def _find_trained(self, part: ast.AST) -> set[ast.AST]:
        """Returns the nodes that only training computes: under `if training:`."""
        return {
            inner
            for node in walk_breadth_first(part)
            if isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "training"
            for statement in node.body
            for inner in walk_breadth_first(statement)
        }

    def _draws(self, call: ast.Call) -> bool:
        """Whether TensorFlow draws numbers in each step: not in a layer or a first value."""
        module, _, name = self._scopes.import_path(call.func).rpartition(".")
        return (
            module.startswith("tensorflow")
            and not name.endswith(table.NO_DRAWS)
            and (module.endswith(".random") or name.startswith(table.DRAWS))
        )

    def _plan_optimizer_scope(self) -> None:
        """Makes a method of the scope in which the optimizer's variables are made.

        They are made before the first step, when a checkpoint is read, and have the names of
        that scope there, too.
        """
        step = self._methods["train_step"]
        around = [
            node
            for node in walk_breadth_first(step)
            if isinstance(node, ast.With)
            and any(
                isinstance(inner, ast.Attribute) and inner.attr == "apply_gradients"
                for inner in walk_breadth_first(node)
            )
        ]
        if not around:
            return
        match around:
            case [ast.With(items=[ast.withitem(ast.Call() as scope, None)])] if (
                all(isinstance(value, ast.Constant) for value in scope.args)
                and not scope.keywords
                and SCOPE not in self._methods
            ):
                pass
            case _:
                raise Stays(
                    around[0],
                    "the name of the scope around the optimizer is not written out",
                )
        made = ast.unparse(scope).replace("'", '"')
        method = Block(
            make_code(f"def {SCOPE}(self):"), [New(make_code("return ", made))]
        )
        self._plan.statements[step] = [method, Keep(step)]
        self._plan.expressions[scope] = make_code(f"self.{SCOPE}()")

    # -- hooks -------------------------------------------------------------------------

    def _plan_hooks(self, names: tuple[str, ...]) -> None:
        """Plans methods that return hooks: names in logs replace their tensors."""
        returned = self._find_returned()
        for name in names:
            method = self._methods[name]
            parameters = {a.arg for a in method.args.args[1:]}
            for node in walk_breadth_first(method):
                if isinstance(node, ast.Name) and node.id in parameters:
                    if isinstance(node.ctx, ast.Load):
                        key = node.id if node.id in returned else "loss"
                        self._plan.replace(node, make_code(f'"{key}"'))
            for node in walk_breadth_first(method):
                if isinstance(node, ast.Call) and is_logging(node, self._scopes):
                    self._plan_logging(node)
            if parameters:
                items: list[Item] = []
                for statement in method.body:
                    items += self._plan.statements.pop(statement, [Keep(statement)])
                header = make_code(f"def {name}(self):")
                self._plan.statements[method] = [Block(header, items, method)]

    def _plan_logging(self, call: ast.Call) -> None:
        """Rewrites `LoggingTensorHook({"loss": loss}, ...)` with names, or functions."""
        tensors = names_.find_argument(call, "tensors", 0)
        if not isinstance(tensors, ast.Dict):
            raise Stays(call, "a hook requests tensors by their names")
        for value in tensors.values:
            match value:
                case ast.Call(func=ast.Attribute(attr="result") as method, args=[]):
                    self._plan.replace(value, make_code(method))
                case ast.Call() if self._scopes.resolve(value.func) in _STEPS:
                    counted = "lambda: self.optimizer.iterations.numpy()"
                    self._plan.expressions[value] = make_code(counted)
                case ast.Name():
                    pass
                case _:
                    raise Stays(value, "a hook requests tensors by their names")
        self._plan.replace(call.func, make_code(f"{table.MODULE}.Logging"))

    def _find_returned(self) -> set[str]:
        """Returns the keys in the result of a step of training."""
        match self._methods["train_step"].body[-1]:
            case ast.Return(value=ast.Dict(keys=keys)):
                return {str(k.value) for k in keys if isinstance(k, ast.Constant)}
        return set()

    # -- the global step ---------------------------------------------------------------

    def _plan_global_step(self) -> None:
        """Replaces the global step in steps by `self.optimizer.iterations`."""
        init = self._methods["__init__"]
        own = set(walk_breadth_first(init))
        calls = [
            node
            for node in walk_breadth_first(self._node)
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
                self._plan.replace(call, make_code("self.optimizer.iterations"))
        if inside == [counted.value]:  # Keras's own counter is enough.
            self._plan.statements[counted] = [Dropped(counted)]

    # -- what a step returns -----------------------------------------------------------

    def _plan_results(self) -> None:
        """Adds values that a step writes, or that hooks ask for, to the step's result."""
        step = self._methods["train_step"]
        told = [*self._plan_summaries(step), *self._plan_named(step)]
        scaled = any(
            isinstance(n, ast.Name) and n.id == "scaled_loss"
            for n in walk_breadth_first(step)
        )
        if self._wanted.replicas and scaled:
            # Keras adds up the results of replicas. TF1 reported the mean.
            self._plan_return(step, told, "scaled_loss")
        elif told:
            self._plan_return(step, told, "")

    def _plan_summaries(self, step: ast.FunctionDef) -> list[tuple[str, Code]]:
        told: list[tuple[str, Code]] = []
        for node in walk_breadth_first(self._node):
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
                or not isinstance(node.args[0], ast.Constant)
            ):
                raise Stays(
                    node, "a training step writes summaries that are not scalars"
                )
            tag = str(node.args[0].value)
            value = self._keep_value(step, statement, tag, node.args[1])
            if self._wanted.replicas:
                count = "self.distribute_strategy.num_replicas_in_sync"
                value = make_code(value, f" / {count}")
            told.append((tag, value))
        return told

    def _keep_value(
        self, step: ast.FunctionDef, statement: ast.stmt, name: str, value: ast.expr
    ) -> Code:
        """Returns a value of a removed statement as the end of the step reads it.

        What the update changes is read where the statement was: a variable, a rate.
        """
        if not self._is_changed(step, value):
            self._plan.statements[statement] = [Dropped(statement)]
            return make_code(value)
        wish = re.sub(r"\W+", "_", name).strip("_").lower()
        if not wish.isidentifier() or keyword.iskeyword(wish):
            wish = "value"
        local = names_.find_free_name(step, wish)
        while local in self._kept:
            local += "_"
        self._kept.add(local)
        read = make_code(value)
        if isinstance(value, ast.Name | ast.Attribute):
            read = make_code("tf.identity(", value, ")")
        self._plan.statements[statement] = [
            New(make_code(f"{local} = ", read), statement)
        ]
        return make_code(local)

    def _is_changed(self, step: ast.FunctionDef, value: ast.expr) -> bool:
        """Whether an expression reads the model, the global step, or another name of them."""
        others = {"self"}
        for statement in step.body:
            match statement:
                case ast.Assign(value=ast.Name() | ast.Attribute() as read) if (
                    names_.find_reads(read) & others
                ):
                    others |= names_.find_binds(statement)
        return bool(names_.find_reads(value) & others) or any(
            self._scopes.resolve(node.func) in _STEPS
            for node in walk_breadth_first(value)
            if isinstance(node, ast.Call)
        )

    def _plan_named(self, step: ast.FunctionDef) -> list[tuple[str, Code]]:
        """Returns the tensors that hooks ask for by name."""
        told: list[tuple[str, Code]] = []
        predicted = self._methods.get("predictions_from")
        of_predictions = _find_names_of_results(predicted) if predicted else {}
        wanted = set(self._wanted.named) - self._find_returned()
        asked = False
        for statement in step.body:
            match statement:
                case ast.Expr(ast.Call(func=ast.Attribute(attr="predictions_from"))):
                    found = sorted(wanted & set(of_predictions))
                    if not found:
                        self._plan.statements[statement] = [Dropped(statement)]
                        continue
                    new = make_code("predictions = ", statement.value)
                    self._plan.statements[statement] = [New(new, statement)]
                    asked = True
                case ast.Expr(ast.Call(args=[value, *_]) as call):
                    name = _find_name_of(call)
                    if name in wanted and self._is_identity(call):
                        told.append(
                            (name, self._keep_value(step, statement, name, value))
                        )
        if asked:
            told += [
                (name, make_code(f'predictions["{of_predictions[name]}"]'))
                for name in sorted(wanted & set(of_predictions))
            ]
        if missing := wanted - {name for name, _ in told}:
            raise Stays(
                step,
                f"a hook requests the tensor `{min(missing)}`, which the "
                "training step does not return",
            )
        return told

    def _is_identity(self, call: ast.Call) -> bool:
        return self._scopes.resolve(call.func) == "tf.identity"

    def _plan_return(
        self, step: ast.FunctionDef, told: list[tuple[str, Code]], loss: str
    ) -> None:
        last = step.body[-1]
        match last:
            case ast.Return(value=ast.Dict(keys=keys, values=values)):
                pass
            case _:
                raise Stays(step, "the tool cannot tell what the training step returns")
        given = {
            str(k.value): make_code(v)
            for k, v in zip(keys, values)
            if isinstance(k, ast.Constant)
        }
        if loss:
            given["loss"] = make_code(loss)
        for name, value in told:
            if name in given:
                raise Stays(
                    last, f"the training step returns two values called `{name}`"
                )
            given[name] = value
        pairs = [make_code(f'"{name}": ', value) for name, value in given.items()]
        self._plan.statements[last] = [
            New(make_code("return {", join_code(", ", pairs), "}"), last)
        ]


def _find_names_of_results(function: ast.FunctionDef) -> dict[str, str]:
    """Maps names of tensors in a function's result to their keys there."""
    found = {}
    for node in walk_breadth_first(function):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                name = _find_name_of(value)
                if name and isinstance(key, ast.Constant):
                    found[name] = str(key.value)
    return found


def _find_name_of(node: ast.AST) -> str:
    """Returns the name that a call gives its result."""
    if not isinstance(node, ast.Call):
        return ""
    given = names_.find_argument(node, "name", 1)
    return str(given.value) if isinstance(given, ast.Constant) else ""
