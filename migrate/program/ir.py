"""Describes a TF1 training program, independent of its spelling.

Front-ends make a `TrainingProgram`, back-ends read it. Nodes of the source tree are the
user's own code, which back-ends copy and never interpret again.
"""

from __future__ import annotations

import ast
import dataclasses
import enum

from migrate.facts import reach
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.program.own_hooks import OwnHooks
from migrate.source.nodes import walk_breadth_first


class Kind(enum.Enum):
    """One kind of value, as far as binding time is concerned."""

    HOST = "plain Python"
    PURE = "graph constant"  # Depends on nothing that changes between steps.
    VARIABLE = "variable"
    TENSOR = "step-time tensor"
    PLACEHOLDER = "placeholder"
    LAYER = "layer"
    MODEL = "Keras model"
    SYMBOLIC = "tensor of a Keras model"  # The model was made from it. It is not fed.
    OPTIMIZER = "optimizer"
    SCHEDULE = "learning-rate schedule"
    GRADIENTS = "gradients"
    OPERATION = "operation"
    ASSIGNMENT = "assignment"  # An operation with a value: the variable's new one.
    SUMMARY = "summary"
    INITIALIZER_OP = "initializer operation"
    ITERATOR = "dataset iterator"
    ELEMENT = "dataset element"
    DATASET = "dataset"
    HOOK = "hook"
    WRITER = "summary writer"
    SAVER = "saver"
    SCAFFOLD = "scaffold"
    AVERAGES = "moving averages"
    METRIC = "streaming metric"  # Or a list of the variables of such.
    CLUSTER = "cluster"
    SERVER = "server"
    DEVICE = "device function"
    CONFIG = "session configuration"
    PARTITIONER = "partitioner"
    UPDATE_OPS = "update operations"


# Values that exist only while a step runs.
STEP_KINDS = frozenset(
    {
        Kind.TENSOR,
        Kind.PLACEHOLDER,
        Kind.ELEMENT,
        Kind.GRADIENTS,
        Kind.OPERATION,
        Kind.ASSIGNMENT,
        Kind.SUMMARY,
        Kind.UPDATE_OPS,
    }
)
# Values made once, under the strategy's scope.
BUILD_KINDS = frozenset(
    {Kind.VARIABLE, Kind.LAYER, Kind.OPTIMIZER, Kind.SCHEDULE, Kind.PARTITIONER}
    | {Kind.AVERAGES, Kind.METRIC, Kind.MODEL, Kind.SYMBOLIC}
)


class Replication(enum.Enum):
    """One way in which the replicas' updates change the variables."""

    ASYNCHRONOUS = "asynchronous"
    SYNCHRONOUS = "synchronous"
    CHOSEN_AT_RUN_TIME = "chosen at run time"
    LOCAL = "one process alone"
    TOWERS = "one process, a replica per device"

    @property
    def has_coordinator(self) -> bool:
        """Whether one process may run the loops of all workers."""
        return self in (Replication.ASYNCHRONOUS, Replication.CHOSEN_AT_RUN_TIME)

    @property
    def averages(self) -> bool:
        """Whether gradients may be averaged over replicas."""
        return self not in (Replication.ASYNCHRONOUS, Replication.LOCAL)

    @property
    def alone(self) -> bool:
        """Whether there is one process, without a server."""
        return self in (Replication.LOCAL, Replication.TOWERS)


@dataclasses.dataclass(frozen=True)
class Towers:
    """Replicas of one process, which were towers.

    Attributes:
      count: the number of towers, an expression of the program's.
      updated_by: the towers whose batches update the averages of batch normalisation:
        "first", "last" or "all"; "" if no batch does.
      devices: a list of their devices on tasks of a cluster, an expression of the
        program's; "" if they are this process's own.
      dealt: the cluster to whose parameter servers their variables are dealt in turn;
        "" if they stay where they are made.
    """

    count: str
    updated_by: str = ""
    devices: str = ""
    dealt: str = ""


# Variables of a layer object, which it has after its first call.
WEIGHTS_OF_LAYERS = ("kernel", "bias")

# Keys of state that graph code shares without a name: the values it lists in
# collections, and the count of layers with the same name. Behind the second stands the
# variable scope that has this count.
COLLECTED, NUMBERED = "<collected>", "<numbered>"


def is_of_graph(name: str) -> bool:
    """Whether a name is the key of state of the graph, and no name of the program."""
    return name.startswith("<")


@dataclasses.dataclass(eq=False)
class Lift:
    """A part of a step-time expression that belongs to build time.

    `node` (a layer call, a variable's creation, a staged function's call) is
    created once under `name`; in the step function it is replaced by `use`.
    """

    node: ast.AST
    name: str
    create: Code
    use: Code


@dataclasses.dataclass(eq=False)
class Flow:
    """One statement of a region, with its binding time.

    Attributes:
      statement: the user's statement.
      kind: the kind of the value it computes (compound statements: HOST).
      reads, binds: def-use keys; `binds` includes the objects it mutates at step time.
      suites: nested flows of a compound statement, by field name.
      lifts: its parts that go to build time although the rest is step time.
      build, step: whether it has a part of that time.
      host: plain Python that stays where it is.
      asks: plain Python that asks what only a step has, `name = loss.name`: it belongs to the
        step, although it binds no tensor; or a loop over values that only a step has.
    """

    statement: ast.stmt
    kind: Kind
    reads: frozenset[str]
    binds: frozenset[str]
    suites: dict[str, list[Flow]] = dataclasses.field(default_factory=dict)
    lifts: list[Lift] = dataclasses.field(default_factory=list)
    build: bool = False
    step: bool = False
    pure: bool = False
    asks: bool = False
    dropped: str = ""  # Why it is removed, if it is.
    update: Update | None = None
    # For graph code (graph_functions.py): whether it makes layers; whether a block's
    # header reads collected updates.
    graph: bool = False
    updates: bool = False
    # For code that collects: whether it collects only values that depend on its inputs.
    # Penalties of new variables do not.
    repeats: bool = False
    # For graph code with layers: whether these only use variables of earlier ones.
    shares: bool = False
    # The statement's form in a step, if it does not stay as it is.
    step_code: Code | None = None
    # The block of which this is the part before or behind an update; and the code that
    # replaces the block's first line in the step.
    part_of: Flow | None = None
    header: Code | None = None

    @property
    def host(self) -> bool:
        return not (self.build or self.step or self.pure or self.dropped)


@dataclasses.dataclass(frozen=True, eq=False)
class Update:
    """A training operation: `minimize`, or `apply_gradients` after `compute_gradients`.

    Attributes:
      optimizer: code that names the optimizer at step time.
      loss: the loss, for `minimize` and `compute_gradients`.
      gradients: the gradients-and-variables expression, for `apply_gradients`.
      variables: `var_list`, or None for all trainable variables.
      global_step: the variable that is incremented, or None.
      target: the def-use key that the statement binds, "" if none.
      decayed: `decay_var_list` of `apply_gradients`, or None.
      fed: names of the step's tensors in the optimizer's arguments (a learning rate that
        is fed).
    """

    kind: str
    optimizer: Code
    loss: ast.expr | None
    gradients: ast.expr | None
    variables: ast.expr | None
    global_step: ast.expr | None
    target: str
    decayed: ast.expr | None = None
    fed: tuple[str, ...] = ()


# The reason and the recipe if a step would train less than TF1 did; see FedInside.
FED_INSIDE = (
    "the run feeds a tensor in training, and there are variables behind this tensor"
)
FED_INSIDE_RECIPE = (
    "Make a placeholder, or a parameter of the step function, in place of the tensor."
)
# For these reasons the tool tries other forms of the program.
SERVER_ELSEWHERE = "the program starts the server in another function than the session"
SERVER_LATE = (
    "the program makes a dataset before the server, and the server uses or changes "
    "something that the dataset uses. In the migrated program the strategy, and so "
    "the server, comes first"
)
NOTHING_RUNS = "the program runs nothing in this session"
NOTHING_RUNS_BY_NAME = "the program runs nothing by the name of this session"
# What a function does that should stand where the session is.
IN_HELPER = "a helper function"


@dataclasses.dataclass(frozen=True)
class FedInside:
    """A run that trains and feeds a tensor that the graph computes.

    Attributes:
      call: the run.
      updates: the updates by which it trains.
      behind: the names of the layers and variables that the tensor is computed with. The
        trained variables must be others.
    """

    call: ast.Call
    updates: tuple[Update, ...]
    behind: frozenset[str]


@dataclasses.dataclass(frozen=True)
class Placeholder:
    """A feed: a parameter of the step functions.

    `default` is code for placeholder_with_default's value.
    """

    key: str
    parameter: str
    spec: Code
    default: ast.expr | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Cluster:
    """The cluster and this process's place in it."""

    spec: ast.expr
    server: ast.stmt
    server_call: ast.Call
    job_name: ast.expr
    task_index: ast.expr
    choices: tuple[frozenset[str], ...]  # Job names of each cluster that it may be.

    @property
    def jobs(self) -> frozenset[str] | None:
        """All names of its jobs; None if they are known only at run time."""
        return frozenset().union(*self.choices) if self.choices else None


@dataclasses.dataclass(frozen=True, eq=False)
class Choice:
    """A condition that a program tests at run time, and its value in the case in question."""

    test: ast.expr
    holds: bool


@dataclasses.dataclass(eq=False)
class StepFunction:
    """The backward slice of one or more `session.run` calls."""

    name: str
    feeds: tuple[str, ...]  # Keys of placeholders, in the order of creation.
    sources: tuple[str, ...]  # Keys of the iterators that it draws from.
    fetches: tuple[Code, ...]
    structure: str  # "single", "tuple", "list", "dict" or "none"
    keys: tuple[Code, ...]
    flows: list[Flow]
    trains: bool
    observed: dict[str, ast.expr] = dataclasses.field(default_factory=dict)
    # Names of fed tensors, and of fed parts of an element: parameters after `feeds`.
    given: tuple[str, ...] = ()
    # Whether hooks look up the global step.
    gives_step: bool = False


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """One `session.run` call and the step function that answers it."""

    call: ast.Call
    step: StepFunction | None
    arguments: tuple[Code, ...]
    statement: ast.stmt | None
    targets: Code | None  # New assignment targets, if operations were dropped.
    replacement: Code | None = None
    # The values that take the place of an element of the step's one iterator.
    element: tuple[Code, ...] = ()
    # The iterator that it draws from, if the name of another stands for several.
    source: str = ""
    # Iterators that it starts again.
    begins: tuple[str, ...] = ()


@dataclasses.dataclass(eq=False)
class TrainingProgram:
    """A between-graph replicated training program.

    The driver (a function or the module) is cut into: `path` (the compound
    statements that lead to the home suite), `prelude` (statements of the home
    suite before the graph), `graph` (with binding times), `between` (plain Python
    between graph and session) and `session` on.
    """

    driver: ast.FunctionDef | ast.Module
    path: list[tuple[ast.stmt, str]]
    home: list[ast.stmt]
    cluster: Cluster | None  # None: one process, without a server.
    replication: Replication
    condition: ast.expr | None
    aggregation: tuple[ast.expr | None, ast.expr | None]
    sync_statements: set[ast.stmt]
    joins: list[ast.stmt]
    anchor: int
    flows: list[Flow]
    session: ast.stmt
    session_call: ast.Call
    session_name: str
    tail: list[ast.stmt]
    placeholders: dict[str, Placeholder]
    steps: list[StepFunction]
    runs: list[Run]
    moved: list[ast.stmt]
    copied: set[ast.stmt]
    partitioned: bool
    staged: list[object]
    scaffold_summaries: bool
    # Iterator -> its dataset. If it has several: the one whose elements are as declared.
    iterators: dict[str, ast.expr] = dataclasses.field(default_factory=dict)
    # Datasets that runs of initializers start, for iterators that have several.
    begun: tuple[ast.expr, ...] = ()
    # The form of an iterator's elements, if the program declares it.
    structures: dict[str, tuple[Code, ...]] = dataclasses.field(default_factory=dict)
    # Names bound to an iterator's element -> the iterator's name and the statement.
    elements: dict[str, tuple[str, Flow]] = dataclasses.field(default_factory=dict)
    unnamed_iterators: dict[str, ast.expr] = dataclasses.field(default_factory=dict)
    hook_edits: dict[ast.Call, Code] = dataclasses.field(default_factory=dict)
    # The program's own hooks; None if the file has none.
    own_hooks: OwnHooks | None = None
    consumed: set[ast.stmt] = dataclasses.field(default_factory=set)
    kinds: dict[str, Kind] = dataclasses.field(default_factory=dict)
    # Uses of a step-time tensor for its static shape -> the tensor's key.
    static_reads: dict[ast.AST, str] = dataclasses.field(default_factory=dict)
    # Comparisons of graph objects. In TF1 they compared identity.
    identities: tuple[ast.Compare, ...] = ()
    # Calls of get_variable for a variable that already exists -> its name.
    shared: dict[ast.Call, str] = dataclasses.field(default_factory=dict)
    # Lists of variables that are made before layers make more variables.
    early_lists: set[ast.Call] = dataclasses.field(default_factory=set)
    fed_inside: tuple[FedInside, ...] = ()
    # Variable scopes that are opened by default names -> the names that TF1 gave them.
    scope_numbers: dict[ast.Call, str] = dataclasses.field(default_factory=dict)
    # Whether the program numbers layers where it makes them.
    numbers_layers: bool = False
    # Calls that make datasets of placeholders -> the specs of their arguments.
    # Whether Python code makes elements of datasets when a step asks for them.
    runs_generators: bool = False
    fed_datasets: dict[ast.Call, tuple[Code, ...]] = dataclasses.field(
        default_factory=dict
    )
    # Names that stand for one variable, not for a list or dict of variables.
    singles: frozenset[str] = frozenset()
    # Calls of tf.gradients with respect to tensors of the step: its graph has them.
    tensor_gradients: frozenset[ast.Call] = frozenset()
    # Plain sessions that are opened one after the other, after the first.
    others: tuple[ast.Call, ...] = ()
    # Whether a run gives the variables their initial values a second time.
    initialises_again: bool = False
    # The condition for a cluster, if a process without one trains alone.
    clustered: Choice | None = None
    # None if there are none.
    towers: Towers | None = None
    # Functions of the module that run the session. They stay where they are.
    helpers: tuple[ast.FunctionDef, ...] = ()
    # The name of the cluster of a client that places its graph on the tasks by hand;
    # None for all other programs.
    connected: str | None = None
    # Calls of tf.device around that client's whole graph, outermost first.
    around: tuple[ast.Call, ...] = ()
    # Whether that client is a task of the cluster itself.
    serves: bool = False
    # Whether one worker of a cluster trains alone, while the others serve.
    lone: bool = False
    # Whether the parameter servers end when every worker has ended.
    servers_end: bool = False
    # The first statement of a removed block -> the block, for its comments.
    dissolved: dict[ast.stmt, list[ast.stmt]] = dataclasses.field(default_factory=dict)

    def find_unused(self, scopes: Scopes) -> set[ast.AST]:
        """Returns functions and classes of the module that the program does not use."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        module = scopes.tree.body
        roots: list[ast.AST] = [s for s in module if not isinstance(s, kinds)]
        if isinstance(self.driver, ast.FunctionDef):
            roots.append(self.driver)
        # Statements only, because all of the tree shares nodes like ast.Load().
        used = {
            n
            for d in [*roots, *reach.find_reached(scopes, roots)]
            for n in walk_breadth_first(d)
            if isinstance(n, kinds)
        }
        return {
            d
            for d in module
            if isinstance(d, kinds)
            and not any(n in used for n in walk_breadth_first(d))
        }

    @property
    def datasets(self) -> tuple[ast.expr, ...]:
        """Returns the datasets of all iterators."""
        return (*self.iterators.values(), *self.begun)

    def write_element_spec(self, iterator: str) -> Code:
        """Writes the spec of an iterator's elements."""
        declared = self.structures.get(iterator)
        if declared is None:
            return make_code(self.iterators[iterator], ".element_spec")
        if len(declared) == 1:
            return declared[0]
        return make_code("(", join_code(", ", declared), ")")

    @property
    def tasks(self) -> Cluster:
        """Returns the cluster of a program that has one.

        Raises:
          AssertionError: it has none.
        """
        assert self.cluster is not None
        return self.cluster

    def find_graph_end(self) -> int:
        """Returns the index in `flows` after the last that is built or that a step needs.

        The step functions get the shapes of their elements.
        """
        stepped = {f for step in self.steps for f in step.flows}
        return max(
            (
                i + 1
                for i, f in enumerate(self.flows)
                if f.build or f in stepped or f.kind is Kind.ELEMENT
            ),
            default=0,
        )
