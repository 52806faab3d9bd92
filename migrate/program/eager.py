"""Describes a half-migrated program: eager training code in a graph's cluster.

Its front-end is `migrate.frontends.half_migrated`, its back-end
`migrate.backends.half_migrated`. Nodes are the user's own code, to be carried over.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Mapping


class Division(enum.Enum):
    """One way in which a loss combines the examples of a batch."""

    MEAN = "mean"
    SUM = "sum"
    CONSTANT = "constant"  # The same term for every part of the batch.


@dataclasses.dataclass(frozen=True, eq=False)
class Server:
    """The server that every task of the program starts.

    Attributes:
      statement: the assignment that keeps it.
      call: its creation.
      name: the name that holds it.
      job_name, task_index: those of this task, as the program gives them.
      joins: the places where a task waits in it.
    """

    statement: ast.Assign
    call: ast.Call
    name: str
    job_name: ast.expr
    task_index: ast.expr
    joins: tuple[ast.Expr, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Source:
    """The source of the batches.

    Attributes:
      statement: the loop over a dataset, or the statement that takes its next element.
      dataset: the tf.data.Dataset's expression; None if batches are cut by hand.
      target: the name of an element, or a tuple of the names of its parts.
      made: the statement of the program's suite in which `dataset` is written, if it is not
        the session's.
      examples: for batches cut by hand, an expression of one row for each name.
      takes: the statements that cut them.
    """

    statement: ast.stmt
    dataset: ast.expr | None
    target: ast.Name | ast.Tuple
    made: ast.stmt | None
    examples: tuple[ast.expr, ...] = ()
    takes: tuple[ast.stmt, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        if isinstance(self.target, ast.Name):
            return (self.target.id,)
        return tuple(e.id for e in self.target.elts if isinstance(e, ast.Name))


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """One step of training.

    Attributes:
      function: the function that makes it; None if the loop contains it.
      body: its statements.
      call: the call of the function; None if there is none.
      fetched: the call with the `sess.run` around it.
      results: the values of a step that the loop uses, by name.
      gradient: the call of the tape's `gradient`.
      apply: the call of the optimizer's `apply_gradients`.
      returned: the value that the function returns, None for nothing.
      loss: the expression whose gradient is taken.
      division: how the loss combines the examples; None if it is not known.
      why: the expression that makes the division unknown.
      rows: an expression of the step with one example per row, of its input.
      legacy: whether the optimizer is one of `tf.keras.optimizers.legacy`.
      of_v1: whether it is one of `tf.compat.v1.train`.
    """

    function: ast.FunctionDef | None
    body: tuple[ast.stmt, ...]
    call: ast.Call | None
    fetched: ast.Call | None
    results: tuple[str, ...]
    gradient: ast.Call
    apply: ast.Call
    returned: ast.expr | None
    loss: ast.expr
    division: Division | None
    why: ast.expr | None
    rows: str | None
    legacy: bool
    of_v1: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Metric:
    """A metric of Keras.

    Attributes:
      statement: the assignment that keeps it.
      made: its creation.
      kind: its class, by its name in `tf.keras.metrics`.
      counted: calls in the step that update it.
      others: calls in the loop, and in functions that the loop calls.
    """

    statement: ast.Assign
    made: ast.Call
    kind: str
    counted: tuple[ast.Call, ...]
    others: tuple[ast.Call, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class EagerProgram:
    """A Keras model that a GradientTape trains in the session of a cluster.

    Attributes:
      owner, field: the suite that is laid out anew.
      suite: its statements; a device setter's block is replaced by its own statements.
      setters: the blocks of the device setter: their first statement -> the block.
      cluster: the suite's name for the cluster.
      servers: whether the cluster has parameter servers.
      server: None if this program is a client of servers that others start.
      ready: the index in `suite` from which the strategy can be made.
      late: statements before `ready` that need the strategy before them.
      made: the statements that make the model and the objects that belong to it.
      session: the statement of `suite` that holds the session's block.
      session_call, session_name: the call that opens the session, and its name.
      session_arguments: its arguments by name.
      source, step: the data and the step.
      mean_losses: Keras losses that take the mean over a batch themselves.
      mean_calls: calls of them in the step.
      endless: a loop that nothing ends, None if none.
      stops: whether a hook asks the session to stop.
      metrics: the metrics of the training.
      saves: calls that save a checkpoint.
    """

    owner: ast.AST
    field: str
    suite: tuple[ast.stmt, ...]
    setters: Mapping[ast.stmt, ast.With]
    cluster: ast.expr
    servers: bool
    server: Server | None
    ready: int
    late: frozenset[ast.stmt]
    made: frozenset[ast.stmt]
    session: ast.stmt
    session_call: ast.Call
    session_name: str
    session_arguments: Mapping[str, ast.expr]
    source: Source
    step: Step
    mean_losses: tuple[ast.Call, ...]
    mean_calls: tuple[ast.Call, ...]
    endless: ast.While | None
    stops: bool
    metrics: tuple[Metric, ...]
    saves: tuple[ast.Call, ...]

    @property
    def at(self) -> int:
        """The session's index in `suite`."""
        return self.suite.index(self.session)

    @property
    def after(self) -> tuple[ast.stmt, ...]:
        """Returns the statements after the session."""
        return self.suite[self.at + 1 :]


@dataclasses.dataclass(frozen=True, eq=False)
class FitProgram:
    """A Keras model that trains itself in a script of a cluster.

    Attributes:
      owner, field: the suite that is laid out anew.
      suite: its statements; blocks of a device setter or a session are replaced by their
        own statements.
      blocks: such blocks: their first statement -> the block.
      cluster: the suite's name for the cluster.
      servers: whether the cluster has parameter servers.
      server: the server that every task starts; None if none is started.
      ready: the index in `suite` from which the strategy can be made.
      late: statements before `ready` that need the strategy before them.
      made: the statements that make and compile the models.
      calls: calls of the models' methods.
      sessions: calls that open a session.
      checkpoint_dir: where a session was to save; None for nowhere.
    """

    owner: ast.AST
    field: str
    suite: tuple[ast.stmt, ...]
    blocks: Mapping[ast.stmt, ast.With]
    cluster: ast.expr
    servers: bool
    server: Server | None
    ready: int
    late: frozenset[ast.stmt]
    made: frozenset[ast.stmt]
    calls: tuple[ast.Call, ...]
    sessions: tuple[ast.Call, ...]
    checkpoint_dir: ast.expr | None


@dataclasses.dataclass(frozen=True, eq=False)
class BareLoop:
    """A loop that a GradientTape trains beside a cluster, in no session and no task.

    Attributes:
      owner, field: the suite that is laid out anew.
      suite: its statements; a device setter's block is replaced by its own statements.
      setters: the blocks of the device setter: their first statement -> the block.
      cluster: the suite's name for the cluster.
      servers: whether the cluster has parameter servers.
      ready: the index in `suite` from which the strategy can be made.
      late: statements before `ready` that need the strategy before them.
      made: the statements that make the model and the objects that belong to it.
      sessions: calls that open a session that runs nothing.
      server: a server that nothing uses; None if none is started.
      whole: the statement of `suite` that holds the loop.
      loop: the innermost loop around the step.
      source, step: the data and the step.
      means: calls of Keras losses that take the mean themselves, and what made these.
    """

    owner: ast.AST
    field: str
    suite: tuple[ast.stmt, ...]
    setters: Mapping[ast.stmt, ast.With]
    cluster: ast.expr
    servers: bool
    ready: int
    late: frozenset[ast.stmt]
    made: frozenset[ast.stmt]
    sessions: tuple[ast.Call, ...]
    server: Server | None
    whole: ast.stmt
    loop: ast.For | ast.While
    source: Source
    step: Step
    means: tuple[tuple[ast.Call, ast.Call], ...]
