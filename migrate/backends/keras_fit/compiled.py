"""Lets `compile` replace a model's class, so that Keras's own steps train it.

The class must have nothing that `Model.compile` lacks: one plain loss of tf.losses between the
labels and the network's output, and the optimizer.
"""

from __future__ import annotations

import ast
import copy
import dataclasses

from migrate.facts.reach import find_reached
from migrate.facts.scopes import Scopes
from migrate.plan import Block, Item, Keep, New
from migrate.program.code import make_code
from migrate.source.nodes import find_plain_names, walk_breadth_first

_LOSSES = "tf.losses."
# Losses of (labels, output of the network); each gives one number for a batch.
_PLAIN = frozenset(
    f"{_LOSSES}{name}"
    for name in (
        "absolute_difference",
        "hinge_loss",
        "huber_loss",
        "log_loss",
        "mean_squared_error",
        "sigmoid_cross_entropy",
        "softmax_cross_entropy",
        "sparse_softmax_cross_entropy",
    )
)
# The text of each step of a class, apart from names.
_TRAIN = """\
{features}, {labels} = data
with {tf}.GradientTape() as tape:
    {output} = self({features}, training=True)
    {loss} = {call}
    scaled_loss = {loss} / self.distribute_strategy.num_replicas_in_sync
variables = self.trainable_variables
gradients = tape.gradient(scaled_loss, variables)
self.optimizer.apply_gradients(zip(gradients, variables))
return {{'loss': {loss}}}
"""
_TEST = """\
{features}, {labels} = data
{output} = self({features}, training=False)
{loss} = {call}
self.mean_loss.update_state({loss})
return {{m.name: m.result() for m in self.metrics}}
"""
_PREDICT = """\
{features}, _, _ = tf_keras.utils.unpack_x_y_sample_weight(data)
{output} = self({features}, training=False)
return {output}
"""


@dataclasses.dataclass(frozen=True, eq=False)
class Compiled:
    """A model that `compile` describes completely.

    Attributes:
      init: its `__init__`.
      features: the name of the features there.
      network: the statements up to the output.
      output: the output of the network.
      optimizing: statements that make the optimizer.
      optimizer: the optimizer.
      loss: the function of tf.losses.
      text: the docstring, or None.
    """

    init: ast.FunctionDef
    features: str
    network: tuple[ast.stmt, ...]
    output: ast.expr
    optimizing: tuple[ast.stmt, ...]
    optimizer: ast.expr
    loss: ast.expr
    text: ast.stmt | None

    @property
    def parameters(self) -> str:
        """Returns the parameters of the function that makes the model."""
        arguments = copy.copy(self.init.args)
        arguments.args = arguments.args[1:]
        return ast.unparse(arguments)


def find_compiled(class_: ast.ClassDef, scopes: Scopes, tf: str) -> Compiled | None:
    """Returns the arguments for `compile`; None if a class does more than that."""
    methods = {s.name: s for s in class_.body if isinstance(s, ast.FunctionDef)}
    steps = {"__init__", "train_step", "test_step"}
    if not steps <= set(methods) <= {*steps, "predict_step"}:
        return None
    step = methods["train_step"]
    names = _find_names(step)
    if names is None or not _is_step(step, _TRAIN, names, tf):
        return None
    if not _is_step(methods["test_step"], _TEST, names, tf):
        return None
    if "predict_step" in methods and not _is_step(
        methods["predict_step"], _PREDICT, names, tf
    ):
        return None
    loss = _find_loss(step, names, scopes)
    made = _read_init(methods["__init__"])
    if loss is None or made is None or _is_penalised(made.init, scopes):
        return None
    own = [s for s in class_.body if s not in methods.values()]
    if len(own) > 1 or (own and not isinstance(own[0], ast.Expr)):
        return None
    return dataclasses.replace(made, loss=loss, text=own[0] if own else None)


def write_function(class_: ast.ClassDef, found: Compiled, name: str) -> Block:
    """Writes a function that makes the model, to replace its class."""
    used = find_plain_names(found.init)
    model = "model" if "model" not in used else "keras_model"
    made = make_code(
        f"{model} = tf_keras.Model(inputs={found.features}, outputs=", found.output, ")"
    )
    compiled = make_code(
        f"{model}.compile(optimizer=", found.optimizer, ", loss=", found.loss, ")"
    )
    items: list[Item] = [Keep(found.text)] if found.text is not None else []
    items += [Keep(statement) for statement in found.network]
    items.append(New(made))
    items += [Keep(statement) for statement in found.optimizing]
    items += [New(compiled), New(make_code(f"return {model}"))]
    return Block(make_code(f"def {name}({found.parameters}):"), items, class_)


def takes_one_tensor(found: Compiled, scopes: Scopes) -> bool:
    """Whether a layer, or a function, takes the features as they are: one tensor."""
    uses = [
        (node, scopes.parents[node])
        for statement in found.network
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.Name) and node.id == found.features
    ]
    return bool(uses) and all(
        isinstance(outer, ast.Call)
        and node in outer.args
        and not ast.unparse(outer.func).startswith("tf_keras.layers.DenseFeatures")
        for node, outer in uses
    )


def draws_by_seed(found: Compiled) -> bool:
    """Whether the program seeds the draws of first values, or of dropout."""
    return any(
        isinstance(node, ast.keyword) and node.arg == "seed"
        for statement in (*found.network, *found.optimizing)
        for node in walk_breadth_first(statement)
    )


def _is_penalised(init: ast.FunctionDef, scopes: Scopes) -> bool:
    """Whether layers may have losses of their own, which Keras's steps would add."""
    return any(
        (isinstance(node, ast.keyword) and (node.arg or "").endswith("_regularizer"))
        or (isinstance(node, ast.Attribute) and node.attr == "add_loss")
        for part in (init, *find_reached(scopes, [init]))
        for node in walk_breadth_first(part)
    )


def _find_names(step: ast.FunctionDef) -> dict[str, str] | None:
    """Returns the names in a step of training."""
    match step.body[:2]:
        case [
            ast.Assign(targets=[ast.Tuple([ast.Name(features), ast.Name(labels)])]),
            ast.With(
                body=[
                    ast.Assign(targets=[ast.Name(output)]),
                    ast.Assign(targets=[ast.Name(loss)], value=ast.Call() as call),
                    _,
                ]
            ),
        ]:
            return {
                "features": features,
                "labels": labels,
                "output": output,
                "loss": loss,
                "call": ast.unparse(call),
            }
    return None


def _is_step(step: ast.FunctionDef, text: str, names: dict[str, str], tf: str) -> bool:
    """Whether a step has a known text."""
    known = ast.parse(text.format(tf=tf, **names))
    return ast.unparse(step.body) == ast.unparse(known.body)  # type: ignore[arg-type]


def _find_loss(
    step: ast.FunctionDef, names: dict[str, str], scopes: Scopes
) -> ast.expr | None:
    """Returns the function of the loss, if it takes only labels and output."""
    block = step.body[1]
    assert isinstance(block, ast.With)
    assigned = block.body[1]
    assert isinstance(assigned, ast.Assign) and isinstance(assigned.value, ast.Call)
    call = assigned.value
    if scopes.resolve(call.func) not in _PLAIN:
        return None
    given = [*call.args, *(k.value for k in call.keywords)]
    if sorted(ast.unparse(value) for value in given) != sorted(
        (names["labels"], names["output"])
    ):
        return None
    first = call.args[0] if call.args else None
    for keyword in call.keywords:
        if keyword.arg in ("labels", "onehot_labels", "multi_class_labels"):
            first = keyword.value
    if first is None or ast.unparse(first) != names["labels"]:
        return None
    return call.func


def _read_init(init: ast.FunctionDef) -> Compiled | None:
    """Reads the network and the optimizer of `__init__`."""
    parameters = [a.arg for a in init.args.args]
    if len(parameters) < 2 or init.args.kwonlyargs:
        return None
    places = {}
    for index, statement in enumerate(init.body):
        match statement:
            case ast.Expr(ast.Call(func=func)):
                places[ast.unparse(func)] = index
    first, last = places.get("super().__init__"), places.get("self.compile")
    if first is None or last is None:
        return None
    match init.body[first], init.body[last]:
        case (
            ast.Expr(
                ast.Call(
                    keywords=[ast.keyword("inputs"), ast.keyword("outputs", output)]
                )
            ),
            ast.Expr(ast.Call(keywords=[ast.keyword("optimizer", optimizer)])),
        ):
            pass
        case _:
            return None
    rest = init.body[last + 1 :]
    if [ast.unparse(s).partition(" = ")[0] for s in rest] not in (
        ["self.optimizer.iterations", "self.mean_loss"],
        ["self.mean_loss"],
    ):
        return None
    code_ = [*init.body[:first], *init.body[first + 1 : last]]
    if any(
        isinstance(n, ast.Name) and n.id == "self"
        for s in code_
        for n in walk_breadth_first(s)
    ):
        return None
    counts = "get_or_create_global_step"
    if any(
        isinstance(n, ast.Attribute) and n.attr == counts
        for s in code_
        for n in walk_breadth_first(s)
    ):
        return None
    return Compiled(
        init,
        parameters[1],
        tuple(init.body[:first]),
        output,
        tuple(init.body[first + 1 : last]),
        optimizer,
        optimizer,
        None,
    )
