"""What a half-migrated program means: eager training code in a graph's cluster.

Its front-end is `migrate.frontends.half_migrated`, its back-end
`migrate.backends.half_migrated`. Nodes are the user's own code, to be carried over.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Mapping


class Division(enum.Enum):
    """What a loss does with the examples of a batch."""

    MEAN = "mean"
    SUM = "sum"
    CONSTANT = "constant"  # A term that is the same for every part of the batch.


@dataclasses.dataclass(frozen=True, eq=False)
class Server:
    """The server that every task of the program starts.

    Attributes:
      statement: the assignment that keeps it.
      call: its creation.
      name: what it is kept in.
      job_name, task_index: this task's, as the program gives them.
      joins: where a task waits in it.
    """

    statement: ast.Assign
    call: ast.Call
    name: str
    job_name: ast.expr
    task_index: ast.expr
    joins: tuple[ast.Expr, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Source:
    """Where the batches come from.

    Attributes:
      statement: the loop over a dataset, or the statement that takes its next element.
      dataset: the tf.data.Dataset's expression; None where batches are cut by hand.
      target: the name of an element, or a tuple of the names of its parts.
      made: the statement of the program's suite in which `dataset` is written, where it
        is not the session's.
      examples: of batches cut by hand, an expression of one row for each name.
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
      function: the function that makes it; None where it stands in the loop.
      body: its statements.
      call: the call of the function; None where there is none.
      fetched: the call with the `sess.run` around it.
      results: what the loop wants to see of a step in the loop, by name.
      gradient: the call of the tape's `gradient`.
      apply: the call of the optimizer's `apply_gradients`.
      returned: what the function returns, None for nothing.
      loss: the expression whose gradient is taken.
      division: what the loss does with the examples; None where it is not known.
      why: of an unknown division, the expression that is not read.
      rows: an expression of the step with an example per row: of its input.
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
      others: those in the loop, and in functions that the loop calls.
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
      suite: its statements; a device setter's block stands for what is in it.
      setters: the blocks of the device setter: their first statement -> the block.
      cluster: how the suite names the cluster.
      servers: whether the cluster has parameter servers.
      server: None where this program is a client of servers that others start.
      ready: from where in `suite` on the strategy can be made.
      late: statements before `ready` that need the strategy before them.
      made: those that make the model and what belongs to it.
      session: the statement of `suite` that holds the session's block.
      session_call, session_name: what opens the session, and its name.
      session_arguments: its arguments by name.
      source, step: the data and the step.
      mean_losses: Keras losses that take the mean over a batch themselves.
      mean_calls: calls of them in the step.
      endless: a loop that nothing ends, None if none.
      stops: whether a hook asks the session to stop.
      metrics: what is counted of the training.
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
        """What follows the session."""
        return self.suite[self.at + 1 :]


@dataclasses.dataclass(frozen=True, eq=False)
class FitProgram:
    """A Keras model that trains itself in a script of a cluster.

    Attributes:
      owner, field: the suite that is laid out anew.
      suite: its statements; blocks of a device setter or a session stand for what is in
        them.
      blocks: such blocks: their first statement -> the block.
      cluster: how the suite names the cluster.
      servers: whether the cluster has parameter servers.
      server: the server that every task starts; None where none is started.
      ready: from where in `suite` on the strategy can be made.
      late: statements before `ready` that need the strategy before them.
      made: those that make and compile the models.
      calls: what is asked of the models.
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
      suite: its statements; a device setter's block stands for what is in it.
      setters: the blocks of the device setter: their first statement -> the block.
      cluster: how the suite names the cluster.
      servers: whether the cluster has parameter servers.
      ready: from where in `suite` on the strategy can be made.
      late: statements before `ready` that need the strategy before them.
      made: those that make the model and what belongs to it.
      sessions: calls that open a session that is asked for nothing.
      server: a server that nothing uses; None where none is started.
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
