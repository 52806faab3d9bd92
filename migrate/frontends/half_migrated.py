"""Programs migrated by half: a Keras model and a GradientTape in a graph's cluster.

What chat answers and tutorials give: the cluster, the server, the device setter and the
MonitoredTrainingSession of TensorFlow 1 around eager code of TensorFlow 2. It never
trained on more than one process; the cluster says which strategy was meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends import eager_around as around
from migrate.frontends import eager_losses, eager_step
from migrate.frontends.eager_cluster import ClusterReader
from migrate.frontends.eager_step import Refused
from migrate.frontends.keras_names import defined, keras_name, makes_model
from migrate.program.eager import EagerProgram, Server, Source, Step
from migrate.rules.mistakes.mistake import binding, calls, method
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.tables import roles
from migrate.tables.hooks import HOOKS, SESSION_PARAMETERS

_SETTER = "tf.train.replica_device_setter"
_STOP = "tf.train.StopAtStepHook"
# Hooks that watch no tensor of a graph, and what they may be given.
_HOOKS = {
    _STOP: ("num_steps", "last_step"),
    "tf.train.StepCounterHook": ("every_n_steps", "every_n_secs", "output_dir"),
    "tf.train.CheckpointSaverHook": (
        *("checkpoint_dir", "save_secs", "save_steps"),
        "checkpoint_basename",
    ),
}
# Methods by which Keras trains by itself.
_TRAIN = frozenset({"fit", "fit_generator", "train_on_batch"})
# What may be called before collectives are configured: it computes no tensor.
_NO_TENSORS = (
    *("tf.train.ClusterSpec", "tf.train.Server", "tf.distribute.Server", "tf.app"),
    *("tf.flags", "tf.logging", "tf.get_logger", "tf.random.set_seed", "tf.config"),
    *("tf.keras.datasets", "tf.keras.utils.set_random_seed", "tf.device"),
    *("tf.train.replica_device_setter", "tf.gfile", *_HOOKS),
)
_TF1 = frozenset({"tf.placeholder", "tf.get_variable", "tf.disable_eager_execution"})


def recognise(scopes: Scopes) -> EagerProgram | Refused | None:
    """The program of a file; why it is not taken; or None where there is none."""
    found = list(calls(scopes))
    symbols = {symbol for _, symbol in found}
    if "tf.train.ClusterSpec" not in symbols:
        return None
    sessions = [call for call, symbol in found if symbol in roles.SESSIONS]
    if not sessions or any(_distributes(call, symbol) for call, symbol in found):
        return None
    if "tf.GradientTape" not in symbols:
        return _trained_by_keras(scopes, found, sessions)
    try:
        return _Reader(scopes, found, sessions).read()
    except Refused as refused:
        return refused


def _trained_by_keras(
    scopes: Scopes, found: list[tuple[ast.Call, str]], sessions: list[ast.Call]
) -> Refused | None:
    """`model.fit` in a cluster's session, which has no part in what Keras does."""
    blocks = [scopes.parents[scopes.parents[call]] for call in sessions]
    inside = {n for b in blocks if isinstance(b, ast.With) for n in ast.walk(b)}
    for call, symbol in found:
        if method(call) in _TRAIN and not symbol and call in inside:
            assert isinstance(call.func, ast.Attribute)
            made = binding(scopes, call.func.value)
            if made is not None and makes_model(scopes, made):
                return Refused(
                    "D150",
                    call,
                    f"`{method(call)}` trains in its own process: Keras runs neither in "
                    "this session nor on its server",
                    "Leave the session and the device setter out; make and compile the "
                    "model in the scope of the strategy that the cluster describes, and "
                    "give fit a tf.data.Dataset and steps_per_epoch.",
                )
    return None


def _distributes(call: ast.Call, symbol: str) -> bool:
    """Whether a program has a strategy already."""
    return (
        symbol.startswith("tf.distribute.")
        and symbol.endswith("Strategy")
        or (method(call) == "scope" and not symbol)
    )


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

    def read(self) -> EagerProgram:
        for call, symbol in self._found:
            if symbol in _TF1:
                raise Refused(
                    "D120",
                    call,
                    "graph and eager code in one program",
                    "Write the model in one of the two.",
                )
        call, block, name = self._session()
        arguments = self._arguments(call)
        clusters = ClusterReader(self._scopes, self._found)
        cluster, jobs = clusters.cluster()
        server = clusters.server()
        owner, field, suite, setters, whole = self._suite(block)
        self._check_devices(setters)
        source, loop, step_call = self._source(block, suite)
        ready = self._ready(suite, cluster, server)
        clusters.check_task(call, server, jobs, arguments)
        made = self._made(suite, whole)
        later: list[ast.AST] = [*loop, *suite[suite.index(whole) :]]
        inside = self._step_statements(loop, step_call)
        step = eager_step.read(
            self._scopes,
            block,
            name,
            source,
            loop,
            step_call,
            [n for n in _later(later) if n not in inside],
        )
        self._check_tasks_in(step.body, server)
        reader = eager_losses.LossReader(
            self._scopes, step.body, eager_step.given(step)
        )
        made_by = tuple(dict.fromkeys(made for _, made in reader.mean_calls()))
        called = [c for made in made_by for c in self._calls_of(made, step, reader)]
        around.check(self._scopes, self._found, block, name, source, step, server)
        return EagerProgram(
            owner,
            field,
            tuple(suite),
            setters,
            cluster,
            "ps" in jobs,
            server,
            ready,
            self._late(suite, ready, server),
            made,
            whole,
            call,
            name,
            arguments,
            source,
            step,
            made_by,
            tuple(dict.fromkeys(called)),
            self._endless(block, name),
            self._stops(),
        )

    # -- cluster and session ----------------------------------------------------------

    def _session(self) -> tuple[ast.Call, ast.With, str]:
        call = self._sessions[0]
        item = self._scopes.parents[call]
        block = self._scopes.parents[item]
        if (
            len(self._sessions) != 1
            or not isinstance(item, ast.withitem)
            or not isinstance(block, ast.With)
            or len(block.items) != 1
            or not isinstance(item.optional_vars, ast.Name)
        ):
            raise Refused(
                "D121",
                call,
                "not one session in a block of its own",
                "Write `with tf.train.MonitoredTrainingSession(...) as sess:` once.",
            )
        return call, block, item.optional_vars.id

    def _arguments(self, call: ast.Call) -> dict[str, ast.expr]:
        plain = self._scopes.resolve(call.func) in roles.PLAIN_SESSIONS
        parameters = ("master", "graph", "config") if plain else SESSION_PARAMETERS
        if plain and any(k.arg == "target" for k in call.keywords):
            parameters = ("target", "graph", "config")
        bound = names.bound_arguments(call, parameters)
        if bound is None or {"graph", "scaffold", "chief_only_hooks"} & set(bound):
            raise Refused(
                "D121",
                call,
                "arguments of the session that an eager program cannot have",
                "Leave them out.",
            )
        for hook, symbol in self._found:
            given = names.bound_arguments(
                hook, HOOKS[symbol].parameters if symbol in HOOKS else ()
            )
            if symbol.endswith("Hook") and (
                symbol not in _HOOKS
                or given is None
                or not given.keys() <= set(_HOOKS[symbol])
            ):
                raise Refused(
                    "D121",
                    hook,
                    "a hook of a graph's session",
                    "Do what it does in the loop.",
                )
        return bound

    # -- the suite ----------------------------------------------------------------------

    def _suite(
        self, block: ast.With
    ) -> tuple[ast.AST, str, list[ast.stmt], dict[ast.stmt, ast.With], ast.stmt]:
        """The suite of the session, the device setter's blocks written out.

        Returns:
          The suite's owner and field, its statements, the setters' blocks by the first
          statement in them, and the statement of the suite that holds the session.
        """
        inner: ast.stmt = block
        whole: ast.stmt = block
        owner = self._scopes.parents[block]
        while isinstance(owner, ast.With):
            if not self._is_setter(owner):
                whole = owner  # `with open(...) as log:` around the session's block.
            inner, owner = owner, self._scopes.parents[owner]
        for field, suite in _suites(owner):
            if inner in suite:
                setters: dict[ast.stmt, ast.With] = {}
                flat = list(self._flat(suite, setters))
                return owner, field, flat, setters, whole
        raise Refused("D121", block, "the session's block is not found", "")

    def _is_setter(self, block: ast.With) -> bool:
        if len(block.items) != 1:
            return False
        call = block.items[0].context_expr
        if not (isinstance(call, ast.Call) and call.args):
            return False
        if self._scopes.resolve(call.func) != "tf.device":
            return False
        given = binding(self._scopes, call.args[0]) or call.args[0]
        return (
            isinstance(given, ast.Call) and self._scopes.resolve(given.func) == _SETTER
        )

    def _flat(
        self, suite: list[ast.stmt], setters: dict[ast.stmt, ast.With]
    ) -> Iterator[ast.stmt]:
        for statement in suite:
            if isinstance(statement, ast.With) and self._is_setter(statement):
                inner = list(self._flat(statement.body, setters))
                setters[inner[0]] = statement
                yield from inner
            else:
                yield statement

    def _check_devices(self, setters: dict[ast.stmt, ast.With]) -> None:
        blocks = {item.context_expr for w in setters.values() for item in w.items}
        for call, symbol in self._found:
            if symbol == "tf.device" and call not in blocks:
                raise Refused(
                    "D124",
                    call,
                    "a device by hand, which a strategy chooses",
                    "Leave it out, or keep this program apart.",
                )
            if keras_name(self._scopes, call.func).startswith("metrics."):
                raise Refused(
                    "D127",
                    call,
                    "a metric of Keras, whose state each worker would have for itself",
                    "Add up the losses that the steps give.",
                )

    def _ready(
        self, suite: list[ast.stmt], cluster: ast.expr, server: Server | None
    ) -> int:
        """The index after the last statement that the strategy needs."""
        needed = [self._scopes.parents[cluster]]
        if server is not None:
            needed += [server.statement, *server.joins]
        ready = 0
        for index, statement in enumerate(suite):
            inside = set(ast.walk(statement))
            if any(node in inside for node in needed):
                ready = index + 1
        return ready

    def _late(
        self, suite: list[ast.stmt], ready: int, server: Server | None
    ) -> frozenset[ast.stmt]:
        """Statements that compute tensors before there is a strategy."""
        early = suite[:ready]
        late = [s for s in early if self._computes(s)]
        driver: ast.AST = suite[0]
        while not isinstance(driver, (ast.FunctionDef, ast.Module)):
            driver = self._scopes.parents[driver]
        own = driver.name if isinstance(driver, ast.FunctionDef) else ""
        for module in self._scopes.tree.body:
            if module in suite or any(s in ast.walk(module) for s in suite):
                continue
            if not isinstance(module, (ast.FunctionDef, ast.ClassDef)):
                if own not in names.reads(module) and self._computes(module):
                    raise Refused(
                        "D128",
                        module,
                        "tensors are computed before there is a strategy",
                        "Move this to where the cluster is made.",
                    )
        moved: set[str] = set()
        for statement in early:
            if statement in late:
                moved |= names.binds(statement)
            elif names.reads(statement) & moved:
                raise Refused(
                    "D128",
                    statement,
                    "it needs tensors that are computed before there is a strategy",
                    "Move it after the server's start.",
                )
        return frozenset(late)

    def _computes(self, statement: ast.stmt) -> bool:
        """Whether a statement may compute tensors when it is executed."""
        if isinstance(
            statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        ):
            return False
        if makes_model(self._scopes, statement):
            return True
        for node in names.walk_scope(statement):
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func) or ""
            if symbol.startswith("tf.") and not symbol.startswith(_NO_TENSORS):
                return True
            called = defined(self._scopes, node.func)
            if isinstance(called, ast.FunctionDef):
                if any(self._computes(s) for s in called.body):
                    return True
            if isinstance(node.func, ast.Attribute) and gives_dataset(
                self._scopes, node.func.value
            ):
                return True
        return False

    def _made(self, suite: list[ast.stmt], block: ast.stmt) -> frozenset[ast.stmt]:
        found = [
            s
            for s in suite[: suite.index(block)]
            if not isinstance(s, (ast.FunctionDef, ast.ClassDef))
            and makes_model(self._scopes, s)
        ]
        if not found:
            raise Refused(
                "D124",
                block,
                "the model is not made where the session is opened",
                "Make it between the server and the session.",
            )
        return frozenset(found)

    # -- the loop -------------------------------------------------------------------------

    def _source(
        self, block: ast.With, suite: list[ast.stmt]
    ) -> tuple[Source, list[ast.stmt], ast.Call | None]:
        """The batches, the loop's suite with the step, and the call of its function."""
        call = self._step_call(block)
        tapes = eager_step.tapes(self._scopes, block)
        node: ast.AST | None = call or (tapes[0] if len(tapes) == 1 else None)
        all_tapes = eager_step.tapes(self._scopes, self._scopes.tree)
        if node is None or len(all_tapes) != 1:
            raise Refused(
                "D125",
                block,
                "not one step of training, with one GradientTape",
                "Keep one function with one tape, called in one place.",
            )
        while not isinstance(
            self._scopes.parents[node], (ast.For, ast.While, ast.With)
        ) or (node in getattr(self._scopes.parents[node], "items", ())):
            node = self._scopes.parents[node]
        loop: ast.AST = self._scopes.parents[node]
        assert isinstance(loop, (ast.For, ast.While, ast.With))
        body = loop.body
        source = None
        if isinstance(loop, ast.For):
            source = self._of_loop(loop)
        if source is None:
            source = self._of_next(body, suite)
        if source is None:
            raise Refused(
                "D129",
                loop,
                "the batches are not seen to come from a tf.data.Dataset",
                "Iterate a tf.data.Dataset: `for x, y in dataset:`.",
            )
        return source, body, call

    def _step_call(self, block: ast.With) -> ast.Call | None:
        found = []
        for node in ast.walk(block):
            if isinstance(node, ast.Call):
                called = defined(self._scopes, node.func)
                if isinstance(called, ast.FunctionDef) and eager_step.tapes(
                    self._scopes, called
                ):
                    found.append(node)
        return found[0] if len(found) == 1 else None

    def _of_loop(self, loop: ast.For) -> Source | None:
        over, target = loop.iter, loop.target
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Name):
            if (
                over.func.id == "enumerate"
                and over.args
                and isinstance(target, ast.Tuple)
            ):
                over, target = over.args[0], target.elts[1]
        if not self._is_dataset(over):
            return None
        return Source(loop, over, _names_of(target), None)

    def _of_next(self, body: list[ast.stmt], suite: list[ast.stmt]) -> Source | None:
        """`x, y = next(batches)`, where `batches = iter(dataset)`."""
        first = body[0]
        if not (
            isinstance(first, ast.Assign)
            and isinstance(first.value, ast.Call)
            and isinstance(first.value.func, ast.Name)
            and first.value.func.id == "next"
            and len(first.value.args) == 1
        ):
            return None
        made = binding(self._scopes, first.value.args[0])
        if not (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Name)
            and made.func.id == "iter"
            and self._is_dataset(made.args[0])
        ):
            return None
        statement = self._scopes.parents[made]
        if statement not in suite:
            return None
        assert isinstance(statement, ast.stmt)
        return Source(first, made.args[0], _names_of(first.targets[0]), statement)

    def _is_dataset(self, node: ast.expr) -> bool:
        return gives_dataset(self._scopes, node)

    def _step_statements(
        self, loop: list[ast.stmt], call: ast.Call | None
    ) -> set[ast.AST]:
        """The code of a step that stands in the loop."""
        if call is not None:
            return set()
        return {n for s in eager_step.inline(loop) for n in ast.walk(s)}

    def _check_tasks_in(
        self, body: tuple[ast.stmt, ...], server: Server | None
    ) -> None:
        if server is None or isinstance(server.task_index, ast.Constant):
            return
        index = ast.dump(server.task_index)
        for node in (n for s in body for n in ast.walk(s)):
            if isinstance(node, ast.expr) and ast.dump(node) == index:
                raise Refused(
                    "D125",
                    node,
                    "the step depends on the task, but there is one for all",
                    "Give it the value that differs.",
                )

    def _calls_of(
        self, made: ast.Call, step: Step, reader: eager_losses.LossReader
    ) -> Iterator[ast.Call]:
        """Every call of a loss object, in the step and elsewhere: each takes the mean.

        Raises:
          Refused: the object is used otherwise.
        """
        yield from (call for call, by in reader.mean_calls() if by is made)
        parent = self._scopes.parents[made]
        if not isinstance(parent, ast.Assign):
            return
        kept = names.key(parent.targets[0])
        passed = step.call.args if step.call is not None else []
        for node in ast.walk(self._scopes.tree):
            if not (
                isinstance(node, ast.Name)
                and node.id == kept
                and isinstance(node.ctx, ast.Load)
                and binding(self._scopes, node) is made
            ):
                continue
            around_it = self._scopes.parents[node]
            if isinstance(around_it, ast.Call) and around_it.func is node:
                yield around_it
            elif node not in passed:
                raise Refused(
                    "D131",
                    node,
                    "the loss object, which takes no mean any more, is passed on",
                    "Call it where its mean is needed.",
                )

    def _stops(self) -> bool:
        """Whether a hook asks the session to stop."""
        return any(symbol == _STOP for _, symbol in self._found)

    def _endless(self, block: ast.With, name: str) -> ast.While | None:
        """`while not sess.should_stop():` of a session that nothing stops."""
        if self._stops():
            return None
        for node in ast.walk(block):
            if isinstance(node, ast.While) and "should_stop" in ast.unparse(node.test):
                inner = [n for s in node.body for n in ast.walk(s)]
                ends = (ast.Break, ast.Return, ast.Raise)
                asked = any(
                    isinstance(n, ast.Attribute) and n.attr == "request_stop"
                    for n in inner
                )
                if not asked and not any(isinstance(n, ends) for n in inner):
                    return node
        return None


def _later(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Statements, those of blocks one by one: what runs in them, and their headers."""
    for node in nodes:
        if isinstance(node, (ast.With, ast.For, ast.While, ast.If)):
            for field, value in ast.iter_fields(node):
                if field in ("body", "orelse"):
                    yield from _later(value)
                elif isinstance(value, ast.AST):
                    yield value
        else:
            yield node


def _suites(owner: ast.AST) -> list[tuple[str, list[ast.stmt]]]:
    if isinstance(owner, ast.Module):
        return [("body", owner.body)]
    assert isinstance(owner, ast.stmt)
    return names.suites(owner)


def _names_of(target: ast.expr) -> ast.Name | ast.Tuple:
    if isinstance(target, ast.Name):
        return target
    if isinstance(target, ast.Tuple) and all(
        isinstance(e, ast.Name) for e in target.elts
    ):
        return target
    raise Refused(
        "D129",
        target,
        "an element's parts are not plain names",
        "for x, y in dataset:",
    )
