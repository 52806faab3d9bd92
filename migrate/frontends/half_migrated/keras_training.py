"""Keras's own training in a script of a cluster: `model.fit` in a session, or beside it.

Keras runs neither in a session nor on a server: each process trained a model of its
own, with all of the data. The cluster says which strategy was meant to train one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.bare_loop import find_idle_block
from migrate.frontends.half_migrated.cluster import ClusterReader
from migrate.frontends.half_migrated.refused import Refused, refuse_mixture
from migrate.frontends.half_migrated.suite import SuiteReader
from migrate.frontends.keras_names import makes_model
from migrate.program.eager import FitProgram, Server
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first
from migrate.tables.hooks import SESSION_PARAMETERS

# Methods by which Keras trains by itself.
_TRAIN = frozenset({"fit", "fit_generator", "train_on_batch"})
# Those that the migrated program has in another way, and those that it keeps.
FITS = frozenset({"fit", "evaluate", "predict", "save", "save_weights"})
_MAKES = frozenset({"compile", "add", "build"})
_KEPT = frozenset({"summary", "count_params", "get_layer"})
# What the migrated program's `fit` takes.
_ARGUMENTS = (
    *("x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split"),
    *("validation_data", "shuffle", "class_weight", "sample_weight", "initial_epoch"),
    *("steps_per_epoch", "validation_steps", "validation_batch_size"),
)
_TF1 = (
    *("tf.placeholder", "tf.get_variable", "tf.variable_scope", "tf.layers."),
    "tf.disable_eager_execution",
)
_ALONE = (
    "Keep the model in a variable of its own, and call only its fit, "
    "evaluate, predict and save."
)


def read_keras_training(
    scopes: Scopes, found: list[tuple[ast.Call, str]], sessions: list[ast.Call]
) -> FitProgram | Refused | None:
    """Returns the program that Keras trains, or its refusal; None if it does not."""
    reader = _Reader(scopes, found, sessions)
    if not reader.trains:
        return None
    try:
        return reader.read()
    except Refused as refused:
        return refused


class _Reader:
    def __init__(
        self,
        scopes: Scopes,
        found: list[tuple[ast.Call, str]],
        sessions: list[ast.Call],
    ) -> None:
        self._scopes = scopes
        self._found = found
        self._sessions = sessions
        self.trains = [
            call
            for call, symbol in found
            if find_method(call) in _TRAIN
            and not symbol
            and self._find_model(call) is not None
        ]

    def _find_model(self, call: ast.Call) -> ast.expr | None:
        """Returns the expression that makes the model whose method is called."""
        assert isinstance(call.func, ast.Attribute)
        made = find_binding(self._scopes, call.func.value)
        return made if made is not None and makes_model(self._scopes, made) else None

    def read(self) -> FitProgram:
        self._check()
        opened = [self._find_block(call) for call in self._sessions]
        arguments = [self._find_arguments(call) for call in self._sessions]
        clusters = ClusterReader(self._scopes, self._found)
        cluster, jobs = clusters.read_cluster()
        server = clusters.read_server()
        if server is not None:
            clusters.check_task(self.trains[0], server, jobs, {})
        elif not all(find_idle_block(self._scopes, call) for call in self._sessions):
            raise Refused(
                "D121",
                self.trains[0],
                "the program starts no server, so the tool cannot tell which task "
                "it is",
                "Give every task its job and index, and start a tf.distribute.Server.",
            )
        suites = SuiteReader(self._scopes, self._found, opened)
        models = {
            self._scopes.parents[m] for c in self.trains if (m := self._find_model(c))
        }
        first = min(models, key=lambda s: getattr(s, "lineno", 0))
        assert isinstance(first, ast.stmt)
        owner, field, suite, blocks, _ = suites.read_suite(first)
        suites.check_devices(blocks)
        calls = tuple(c for s in models for c in self._find_calls(s))
        made = frozenset(s for s in suite if self._makes(s, models))
        self._check_order(suite, made, calls, models)
        ready = suites.find_ready(suite, cluster, server)
        if server is not None:
            self._check_tasks(server, blocks)
        given = [a["checkpoint_dir"] for a in arguments if "checkpoint_dir" in a]
        if given and sum(find_method(c) == "fit" for c in calls) != 1:
            raise Refused(
                "D121",
                self._sessions[0],
                "the tool cannot tell to which training the session's checkpoints belong",
                "Give each fit a tf_keras.callbacks.BackupAndRestore.",
            )
        return FitProgram(
            owner,
            field,
            tuple(suite),
            blocks,
            cluster,
            "ps" in jobs,
            server,
            ready,
            suites.find_late_statements(suite, ready),
            made,
            calls,
            tuple(self._sessions),
            given[0] if given else None,
        )

    def _check(self) -> None:
        for call in self.trains:
            if find_method(call) != "fit":
                raise Refused(
                    "D156",
                    call,
                    f"`{find_method(call)}` trains in the process that calls it, and "
                    "parameter servers have no equal for it",
                    "Write the step with a GradientTape, and let the session's "
                    "loop call it for each batch.",
                )
        for call, symbol in self._found:
            if symbol.startswith(_TF1):
                raise refuse_mixture(call)
            if symbol.endswith("Hook") and symbol.startswith("tf.train."):
                raise Refused(
                    "D121",
                    call,
                    "a hook counts runs of the session, but Keras does not run the "
                    "session",
                    "Give fit epochs, steps_per_epoch and callbacks.",
                )

    def _find_block(self, call: ast.Call) -> ast.With:
        """The block of a session in which nothing asks the session for anything."""
        item = self._scopes.parents[call]
        block = self._scopes.parents[item]
        if not isinstance(item, ast.withitem) or not isinstance(block, ast.With):
            raise Refused(
                "D156",
                call,
                "the tool cannot tell whether Keras runs in this session",
                "Remove the session. The strategy has servers and workers.",
            )
        name = names.find_key(item.optional_vars) if item.optional_vars else None
        for node in walk_breadth_first(block):
            if (
                isinstance(node, ast.Name)
                and node.id == name
                and node is not item.optional_vars
            ):
                raise Refused(
                    "D121",
                    node,
                    "the program uses the session, but training by Keras does not",
                    "Remove this use. fit trains, and its callbacks report.",
                )
        if len(block.items) != 1:
            raise Refused(
                "D121",
                block,
                "the session shares its `with` with other blocks",
                "Give the session a `with` of its own.",
            )
        return block

    def _find_arguments(self, call: ast.Call) -> dict[str, ast.expr]:
        # A session that takes no `cluster` would only raise an error.
        bound = names.bind_arguments(call, (*SESSION_PARAMETERS, "cluster"))
        if self._scopes.resolve(call.func) in ("tf.Session", "tf.InteractiveSession"):
            return {}
        if bound is None or {"hooks", "scaffold", "chief_only_hooks"} & set(bound):
            raise Refused(
                "D121",
                call,
                "the session has arguments that training by Keras cannot have",
                "Leave these arguments out.",
            )
        return bound

    def _find_calls(self, statement: ast.AST) -> Iterator[ast.Call]:
        """Finds the calls that train, evaluate, use or save a model.

        Raises:
          Refused: the model has a use that is not known to work with a strategy.
        """
        assert isinstance(statement, ast.Assign)
        kept = names.find_key(statement.targets[0])
        for node in self._scopes.walk():
            if not (
                isinstance(node, ast.Name)
                and node.id == kept
                and isinstance(node.ctx, ast.Load)
                and find_binding(self._scopes, node) is statement.value
            ):
                continue
            around = self._scopes.parents[node]
            call = self._scopes.parents[around]
            if (
                isinstance(around, ast.Attribute)
                and isinstance(call, ast.Call)
                and call.func is around
                and around.attr in FITS | _MAKES | _KEPT
            ):
                if around.attr in FITS:
                    self._check_call(call)
                    yield call
                continue
            raise Refused(
                "D156",
                node,
                f"`{ast.unparse(around)}` is not known to work on a cluster. There "
                "a model can be trained, evaluated, asked for predictions and saved",
                _ALONE,
            )

    def _check_call(self, call: ast.Call) -> None:
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        if starred or (
            find_method(call) == "fit"
            and names.bind_arguments(call, _ARGUMENTS) is None
        ):
            raise Refused(
                "D156", call, "arguments that are not read", "Give them by their names."
            )

    def _makes(self, statement: ast.stmt, models: set[ast.AST]) -> bool:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return False
        kept = {
            names.find_key(m.targets[0]) for m in models if isinstance(m, ast.Assign)
        }
        return makes_model(self._scopes, statement) or any(
            isinstance(node, ast.Call)
            and find_method(node) in _MAKES
            and names.find_key(node.func.value) in kept  # type: ignore[attr-defined]
            for node in names.walk_scope(statement)
        )

    def _check_order(
        self,
        suite: list[ast.stmt],
        made: frozenset[ast.stmt],
        calls: tuple[ast.Call, ...],
        models: set[ast.AST],
    ) -> None:
        """Refuses models that are not first made and compiled, and then trained."""
        at = [i for i, s in enumerate(suite) if s in made]
        inside = (
            {n for s in suite[at[0] : at[-1] + 1] for n in walk_breadth_first(s)}
            if at
            else set()
        )
        for node in [
            *(m for m in models if m not in suite),
            *(c for c in calls if c in inside),
        ]:
            raise Refused(
                "D125",
                node,
                "the program makes or compiles a model after it uses the first "
                "one, or not where it starts the server",
                "Make and compile the models one after the other, before the first "
                "is used.",
            )

    def _check_tasks(
        self,
        server: Server,
        blocks: dict[ast.stmt, ast.With],
    ) -> None:
        """Raises Refused if what is trained depends on the task."""
        if isinstance(server.task_index, ast.Constant):
            return
        index = ast.dump(server.task_index)
        headers = {
            n for b in blocks.values() for i in b.items for n in walk_breadth_first(i)
        }
        headers |= set(walk_breadth_first(server.call))
        for node in self._scopes.walk():
            if (
                not isinstance(node, ast.expr)
                or ast.dump(node) != index
                or node in headers
            ):
                continue
            if self._is_in_message(node):
                continue
            statement: ast.AST = node
            while not isinstance(statement, ast.stmt):
                statement = self._scopes.parents[statement]
            if isinstance(statement, ast.Assign) and isinstance(
                statement.value, ast.Compare
            ):
                continue  # `is_chief = task_index == 0`.
            raise Refused(
                "C109",
                node,
                "the training depends on the task, but in the migrated program one "
                "fit trains for all tasks",
                "Give fit the data of all workers.",
            )

    def _is_in_message(self, node: ast.AST) -> bool:
        """Whether a node is in an `if`'s test, or is printed, logged or opened."""
        inner = node
        while inner in self._scopes.parents:
            around = self._scopes.parents[inner]
            if isinstance(around, ast.If):
                return around.test is inner and not around.orelse
            if isinstance(around, ast.Call) and inner is not around.func:
                name = self._scopes.find_dotted_path(around.func) or ast.unparse(
                    around.func
                )
                if name in ("print", "open") or name.startswith(
                    (
                        "logging.",
                        "tensorflow.compat.v1.logging.",
                        "os.path.",
                        "os.makedirs",
                    )
                ):
                    return True
            inner = around
        return False
