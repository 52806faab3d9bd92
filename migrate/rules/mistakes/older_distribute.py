"""D108 to D110 and D137: names of tf.distribute from before TensorFlow 2.4."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes.mistake import Mistake, find_name, list_calls

_COMMUNICATION = "tf.distribute.experimental.CollectiveCommunication"
_WORKERS = frozenset(
    {
        "tf.distribute.experimental.MultiWorkerMirroredStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
    }
)
SERVERS = frozenset(
    {
        "tf.distribute.experimental.ParameterServerStrategy",
        "tf.distribute.ParameterServerStrategy",
    }
)


def find_runs(scopes: Scopes) -> Iterator[Mistake]:
    """D108 only: calls, and the method by itself, `run = strategy.experimental_run_v2`."""
    for node in scopes.walk():
        if not (
            isinstance(node, ast.Attribute)
            and node.attr == "experimental_run_v2"
            and isinstance(node.ctx, ast.Load)
            and not find_name(scopes, node)
        ):
            continue
        around = scopes.parents[node]
        called = isinstance(around, ast.Call) and around.func is node
        yield Mistake(
            around if called else node,  # type: ignore[arg-type]
            "D108",
            "Strategy.experimental_run_v2 is Strategy.run since TensorFlow 2.2",
            edits=((node, make_code(node.value, ".run")),),
        )


def find(scopes: Scopes) -> Iterator[Mistake]:
    """The others."""
    for call, symbol in list_calls(scopes):
        if symbol in _WORKERS:
            given = names.find_argument(call, "communication", 0)
            if given is not None and find_name(scopes, given).startswith(
                _COMMUNICATION
            ):
                yield _check_communication(scopes, call, given, symbol)
        elif symbol in SERVERS and not call.args and not call.keywords:
            yield Mistake(
                call,
                "D110",
                "this class changed in TensorFlow 2.4. It now has a coordinator, "
                "which needs to know the cluster. The old class is in "
                "tf.compat.v1.distribute, for Estimators",
                "Give it a cluster_resolver, start a tf.distribute.Server in the "
                "other tasks, and schedule steps by a ClusterCoordinator.",
                blocks=True,
                symbol=symbol,
            )


def _check_communication(
    scopes: Scopes, call: ast.Call, given: ast.expr, symbol: str
) -> Mistake:
    which = find_name(scopes, given).rpartition(".")[2]
    rest = [k for k in call.keywords if k.arg != "communication"]
    others: list[str | ast.AST | Code] = []
    for keyword in rest:
        others += [f",\n    {keyword.arg}=", keyword.value]
    # The experimental class of that name takes no options.
    fix: Code = make_code(
        "tf.distribute.MultiWorkerMirroredStrategy(\n"
        "    communication_options=tf.distribute.experimental.CommunicationOptions(\n"
        "        implementation=tf.distribute.experimental.CommunicationImplementation."
        f"{which})",
        *others,
        ")",
    )
    known = (
        scopes.find_imported_path("tf") == "tensorflow"
        and which.isupper()
        and len(call.args) + len(call.keywords) - len(rest) == 1
        and all(k.arg == "cluster_resolver" for k in rest)
    )
    return Mistake(
        call,
        "D108",
        "CollectiveCommunication is CommunicationImplementation since TensorFlow 2.4, "
        "and is given in CommunicationOptions",
        "communication_options=CommunicationOptions(implementation=...)",
        ((call, fix),) if known else (),
        symbol,
    )


def find_estimators(scopes: Scopes) -> Iterator[Mistake]:
    """D137: a Keras model made an Estimator, which TensorFlow itself has no more."""
    for call, symbol in list_calls(scopes):
        if symbol == "tf.keras.estimator.model_to_estimator":
            yield Mistake(
                call,
                "D137",
                "TensorFlow 2.16 and later do not contain Estimators, so this call "
                "only raises an error",
                "Make and compile the model in the strategy's scope, and train it "
                "by model.fit(input_fn(), ...) and model.evaluate.",
                blocks=True,
                symbol=symbol,
            )
