"""Build-time and step-time expressions of a program, one by one.

Variables, global step, summaries, savers, partitioners, iterators: what a
recognised program's expressions become wherever they stand in the file.
"""

from __future__ import annotations

import ast

from migrate.backends.custom_loop import static_shapes
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Dropped, Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.program.ir import Code, Kind, code
from migrate.tables import roles
from migrate.tables.hooks import HOOKS
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES, OptimizerRow

_GET_VARIABLE = (
    "name",
    "shape",
    "dtype",
    "initializer",
    "regularizer",
    "trainable",
    "collections",
    "caching_device",
    "partitioner",
    "validate_shape",
    "use_resource",
    "custom_getter",
    "constraint",
)
# Dtypes whose variables have the initial value zero where none is said.
_WHOLE = frozenset(
    {f"tf.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
    | {"tf.bool"}
)
_ITERATOR_METHODS = ("make_one_shot_iterator", "make_initializable_iterator")
_PARTITIONER_TARGETS = {
    # TF1 symbol -> (class, TF1's parameters, TF1 -> TF2 names). FACTS: equal
    # shard counts on axis 0 in 1,600 cases.
    "tf.fixed_size_partitioner": (
        "FixedShardsPartitioner",
        ("num_shards", "axis"),
        {"num_shards": "num_shards"},
    ),
    "tf.variable_axis_size_partitioner": (
        "MaxSizePartitioner",
        ("max_shard_bytes", "axis", "bytes_per_string_element", "max_shards"),
        {
            "max_shard_bytes": "max_shard_bytes",
            "bytes_per_string_element": "bytes_per_string",
            "max_shards": "max_shards",
        },
    ),
    "tf.min_max_variable_partitioner": (
        "MinSizePartitioner",
        ("max_partitions", "axis", "min_slice_size", "bytes_per_string_element"),
        {
            "max_partitions": "max_shards",
            "min_slice_size": "min_shard_bytes",
            "bytes_per_string_element": "bytes_per_string",
        },
    ),
}


class Expressions:
    """Plans the expressions of one program; `claimed` says who answers for which use."""

    def __init__(
        self,
        program: ir.TrainingProgram,
        scopes: Scopes,
        diagnostics: Diagnostics,
        plan: Plan,
    ) -> None:
        self.program = program
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.plan = plan
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        self.partitioned: dict[str, ast.expr] = {}
        self.created_step = False

    def run(self) -> None:
        self._setup_claims()
        self._apart = self.program.apart(self.scopes)
        self._visit(self.scopes.tree, [])
        for compared in self.program.identities:
            self._identity(compared)
        for node, new in static_shapes.edits(self.scopes).items():
            if node not in self.plan.expressions:
                self.plan.replace(node, new)

    def _identity(self, node: ast.Compare) -> None:
        """`v in variables` and `v == w` of graph objects compare them by identity."""
        left, right, how = node.left, node.comparators[0], node.ops[0]
        self.diagnostics.findings.append(
            Finding(
                node.lineno,
                node.col_offset + 1,
                "V128",
                Outcome.REWRITTEN,
                "",
                "TF1 compared variables and tensors by identity, TF2 by value",
            )
        )
        if isinstance(how, (ast.Eq, ast.NotEq)):
            word = " is " if isinstance(how, ast.Eq) else " is not "
            self.plan.replace(node, code(left, word, right))
        elif isinstance(how, ast.In):
            self.plan.replace(
                node, code("any(", left, " is other for other in ", right, ")")
            )
        else:
            self.plan.replace(
                node, code("all(", left, " is not other for other in ", right, ")")
            )

    # -- claims ----------------------------------------------------------------------

    def _setup_claims(self) -> None:
        program = self.program
        claim = self.claimed
        if program.cluster is not None:
            claim[program.cluster.server_call] = (
                "C110",
                "tf.distribute.Server, with threads enough to serve and compute",
            )
        claim[program.session_call] = (
            ("S115", "plain_session.Session, which runs step functions")
            if self.scopes.resolve(program.session_call.func) in roles.PLAIN_SESSIONS
            else (
                "S115",
                "the session's services in training_session.MonitoredTrainingSession",
            )
        )
        for call in program.others:
            claim[call] = claim[program.session_call]
        for call in program.hook_edits:
            claim[call] = ("H110", "the same hook in training_session")
        reasons = {
            Kind.PLACEHOLDER: ("S116", "a parameter of the step functions"),
            Kind.INITIALIZER_OP: (
                "S117",
                "dropped: variables are initialised when they are created",
            ),
            Kind.DEVICE: ("C111", "dropped: the strategy places the variables"),
            Kind.CONFIG: (
                "C112",
                "a session's configuration: kept for the server, else dropped; TF2 "
                "places operations softly by default",
            ),
        }
        apart = {n for d in program.apart(self.scopes) for n in ast.walk(d)}
        for node in ast.walk(self.scopes.tree):
            if not isinstance(node, ast.Call) or node in apart:
                continue
            symbol = self.scopes.resolve(node.func)
            kind = roles.KIND_OF_CALL.get(symbol or "")
            if symbol in roles.SYNC_OPTIMIZERS:
                claim[node] = (
                    "O111",
                    "the strategy averages the gradients of all workers",
                )
            elif kind in (Kind.PLACEHOLDER, Kind.INITIALIZER_OP, Kind.DEVICE):
                claim[node] = reasons[kind]
                if symbol and symbol.startswith("tf.contrib.training.Greedy"):
                    claim[node] = (
                        "C113",
                        "dropped: TF2 places variables round robin; give the strategy "
                        "a partitioner to balance bytes",
                    )
            elif symbol in (
                "tf.disable_v2_behavior",
                "tf.disable_eager_execution",
                "tf.enable_resource_variables",
            ):
                claim[node] = ("T106", "dropped: the program runs as TF2 does")
                parent = self.scopes.parents.get(node)
                if isinstance(parent, ast.Expr):
                    self.plan.statements[parent] = [Dropped(parent)]
            elif symbol in ("tf.Graph", "tf.reset_default_graph"):
                claim[node] = ("S118", "dropped: TF2 has no default graph to open")
                parent = self.scopes.parents.get(node)
                if symbol != "tf.Graph" and isinstance(parent, ast.Expr):
                    self.plan.statements[parent] = [Dropped(parent)]
        for node in ast.walk(self.scopes.tree):
            if isinstance(node, (ast.Attribute, ast.Name)):
                symbol = self.scopes.resolve(node)
                if symbol and symbol.startswith("tf.contrib.training.byte_size_load"):
                    claim[node] = ("C113", "dropped: TF2 places variables round robin")

    # -- walk ------------------------------------------------------------------------

    def _visit(self, node: ast.AST, scopes: list[ast.Call]) -> None:
        if node in self._apart:
            return  # No part of the program: as in any other file.
        if isinstance(node, (ast.With,)):
            inner = list(scopes)
            for item in node.items:
                call = item.context_expr
                if (
                    isinstance(call, ast.Call)
                    and self.scopes.resolve(call.func) == "tf.variable_scope"
                ):
                    self._variable_scope(call)
                    inner.append(call)
                    if item.optional_vars is not None:
                        self._visit(item.optional_vars, scopes)
                    for argument in [*call.args, *[k.value for k in call.keywords]]:
                        self._visit(argument, scopes)
                else:
                    self._visit(item, scopes)
            for statement in node.body:
                self._visit(statement, inner)
            return
        if isinstance(node, ast.Call):
            self._call(node, scopes)
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "name"
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "op"
            and self.scopes.resolve(node) is None
        ):  # A variable of TF2 has no `op`.
            self.plan.replace(node, code(node.value.value, '.name.split(":")[0]'))
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "initialized_value"
            and self.scopes.resolve(node) is None
        ):  # A variable of TF2 has its initial value when it is made.
            self.plan.replace(node, code(node.value, ".read_value"))
        for child in ast.iter_child_nodes(node):
            self._visit(child, scopes)

    def _variable_scope(self, call: ast.Call) -> None:
        name = names.argument(call, "name_or_scope", 0)
        if name is None or (isinstance(name, ast.Constant) and name.value is None):
            name = names.argument(call, "default_name", 1)
        if name is None:
            self.diagnostics.refuse("V109", call, "a variable scope without a name")
            return
        self.claimed[call] = ("V101", "tf.name_scope; sharing is resolved by name")
        self.plan.replace(call, code("tf.name_scope(", name, ")"))

    def _call(self, call: ast.Call, scopes: list[ast.Call]) -> None:
        symbol = self.scopes.resolve(call.func)
        if symbol is None:
            self._method(call)
        elif symbol == "tf.get_variable":
            self._get_variable(call, scopes)
        elif symbol == "tf.device":
            self._device(call)
        elif symbol in OPTIMIZERS:
            self._optimizer(call, OPTIMIZERS[symbol])
        elif symbol in roles.GLOBAL_STEPS:
            self._global_step(call)
        elif symbol == "tf.train.global_step":
            step = names.argument(call, "global_step_tensor", 1)
            if step is not None:
                self.claimed[call] = ("S119", "the variable's own value")
                self.plan.replace(call, code(step, ".numpy()"))
        elif symbol in roles.TRAINABLE or symbol == "tf.get_collection":
            self._collection(call, symbol)
        elif symbol in roles.PARTITIONERS:
            self._partitioner(call, symbol)
        elif symbol in roles.SUMMARIES or symbol in (
            "tf.summary.merge_all",
            "tf.summary.merge",
        ):
            self.claimed[call] = ("M110", "collected while the step is traced")
            self.plan.replace(
                call.func, code("training_session.summary.", symbol.rpartition(".")[2])
            )
        elif symbol == "tf.summary.FileWriter":
            directory = names.argument(call, "logdir", 0)
            if directory is not None:
                self.claimed[call] = ("M111", "training_session.SummaryWriter")
                self.plan.replace(
                    call, code("training_session.SummaryWriter(", directory, ")")
                )
        elif symbol == "tf.train.Saver":
            self._saver(call)
        elif symbol == "tf.train.Scaffold":
            self._scaffold(call)
        elif symbol in LAYER_CLASSES:
            row = LAYER_CLASSES[symbol]
            self.claimed[call] = ("L105", row.target)
            if row.seeded and names.argument(
                call, "seed", row.parameters.index("seed")
            ):
                self.claimed[call] = (
                    "L105",
                    f"{row.target}; by this seed it draws other values than TF1 did",
                )
            self.plan.imports.append("import tf_keras")
            self.plan.replace(call.func, code(row.target))
        elif symbol in LAYER_FUNCTIONS and self._seeded(call, symbol):
            self.claimed[call] = ("L104", "a function that draws what TF1's layer drew")
        elif symbol in LAYER_FUNCTIONS:
            self.claimed[call] = (
                "L104",
                "a Keras layer made once, applied in the step function",
            )
            self.plan.imports.append("import tf_keras")
        elif symbol.startswith(roles.DATASET_PREFIXES) and symbol.endswith("_iterator"):
            if call.args:
                self.claimed[call] = ("I111", "a Python iterator of the dataset")
                self.plan.replace(call, code("iter(", call.args[0], ")"))
        elif symbol == "tf.nn.embedding_lookup":
            self._embedding(call)
        elif symbol == "tf.gradients":
            self.claimed[call] = ("O112", "tape.gradient")
        elif symbol in HOOKS and call not in self.program.hook_edits:
            self.diagnostics.refuse("H105", call, "a hook made outside the program")

    def _seeded(self, call: ast.Call, symbol: str) -> bool:
        """Whether a layer function is given a seed that decides what it computes."""
        row = LAYER_FUNCTIONS[symbol]
        bound = names.bound_arguments(call, ("inputs", *row.parameters)) or {}
        seed = bound.get("seed")
        none = isinstance(seed, ast.Constant) and seed.value is None
        return bool(row.seeded) and seed is not None and not none

    def _optimizer(self, call: ast.Call, row: OptimizerRow) -> None:
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            name = names.key(argument)
            if name is not None and self.program.kinds.get(name) in ir.STEP_KINDS:
                fed = code(f'replicas.fed("{name}")')
                if not row.accepts_schedule:
                    fed = code("training_session.Rate(", fed, ")")
                self.plan.replace(argument, fed)
        rate = names.argument(call, "learning_rate", 0)
        if rate is None or row.accepts_schedule:
            return
        scheduled = self.program.kinds.get(names.key(rate) or "") is Kind.SCHEDULE or (
            isinstance(rate, ast.Call) and self.scopes.resolve(rate.func) in SCHEDULES
        )
        if scheduled:
            self.plan.replace(rate, code("training_session.Rate(", rate, ")"))

    def _device(self, call: ast.Call) -> None:
        """The setter's block becomes the scope; a local device is kept in the step."""
        where = call.args[0] if call.args else None
        if where is None:
            return
        text = "".join(
            n.value
            for n in ast.walk(where)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
        symbol = self.scopes.resolve(where.func) if isinstance(where, ast.Call) else ""
        setter = symbol == "tf.train.replica_device_setter" or (
            self.program.kinds.get(names.key(where) or "") is Kind.DEVICE
        )
        if setter:
            self.claimed[call] = ("C111", "now the strategy's scope")
        elif isinstance(where, ast.Constant) and "job:" not in text:
            self.claimed[call] = (
                "C114",
                "a local device: variables are placed by the strategy, and a block "
                "around the whole graph is dropped",
            )
        else:
            self.diagnostics.refuse(
                "C115",
                call,
                "the graph is placed on tasks by hand, not by replica_device_setter",
                "Leave the placement to the strategy, or keep this program apart.",
                "tf.device",
            )

    def _method(self, call: ast.Call) -> None:
        function = call.func
        if not isinstance(function, ast.Attribute):
            return
        base = self.program.kinds.get(names.key(function.value) or "")
        if base is Kind.OPTIMIZER and function.attr == "minimize":
            self._minimize(call)
        if function.attr == "repeat" and self._is_dataset(function.value):
            self._repeat(call, function.value)
        if function.attr in _ITERATOR_METHODS:  # Of nothing but datasets.
            self.plan.replace(call, code("iter(", function.value, ")"))
        elif base is Kind.LAYER and function.attr == "apply":
            self.plan.replace(function, code(function.value))

    def _is_dataset(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func)
            if symbol is not None:
                return symbol.startswith(roles.DATASET_PREFIXES)
            if not isinstance(node.func, ast.Attribute):
                return False
            node = node.func.value
        return self.program.kinds.get(names.key(node) or "") is Kind.DATASET

    def _repeat(self, call: ast.Call, repeated: ast.expr) -> None:
        """`shuffle(seed=...).repeat()`: TF 1.15 made one operation of the two."""
        if not (
            isinstance(repeated, ast.Call)
            and isinstance(repeated.func, ast.Attribute)
            and repeated.func.attr == "shuffle"
        ):
            return
        bound = names.bound_arguments(
            repeated, ("buffer_size", "seed", "reshuffle_each_iteration")
        )
        seed = (bound or {}).get("seed")
        if seed is None or (isinstance(seed, ast.Constant) and seed.value is None):
            return
        self.diagnostics.findings.append(
            Finding(
                repeated.lineno,
                repeated.col_offset + 1,
                "I112",
                Outcome.KEPT,
                "tf.data.Dataset.shuffle",
                "by this seed TF 1.15 ordered the elements of every epoch otherwise: it "
                "made one operation of shuffle and the repeat that follows",
                "For an order that both have put another transformation between them, "
                "as batch().",
            )
        )

    def _minimize(self, call: ast.Call) -> None:
        decayed = names.argument(call, "decay_var_list", 8)
        if decayed is not None:
            self.diagnostics.findings.append(
                Finding(
                    decayed.lineno,
                    decayed.col_offset + 1,
                    "O113",
                    Outcome.REWRITTEN,
                    "",
                    "dropped: TF 1.15's minimize does not use decay_var_list either, "
                    "all variables decay",
                    "Give it to apply_gradients to have only these decay.",
                )
            )

    # -- variables -----------------------------------------------------------------------

    def _get_variable(self, call: ast.Call, scopes: list[ast.Call]) -> None:
        shared = self.program.shared.get(call)
        if shared is not None:
            self.claimed[call] = ("V104", f"the variable that `{shared}` is")
            self.plan.replace(call, code(shared))
            return
        bound = names.bound_arguments(call, _GET_VARIABLE)
        if bound is None or "name" not in bound:
            self.diagnostics.refuse(
                "V102",
                call,
                "this variable's arguments cannot be told apart",
                "Pass them by keyword.",
                "tf.get_variable",
            )
            return
        for unsupported in (
            "regularizer",
            "collections",
            "caching_device",
            "custom_getter",
            "constraint",
        ):
            value = bound.get(unsupported)
            if value is not None and not (
                isinstance(value, ast.Constant) and value.value is None
            ):
                self.diagnostics.refuse(
                    "V103",
                    call,
                    f"get_variable({unsupported}=...) is not carried over",
                    "Add the penalty to the loss, or keep the variable in a list."
                    if unsupported in ("regularizer", "collections")
                    else "",
                    "tf.get_variable",
                )
        parts: list[Code] = [
            self._initial_value(call, bound, scopes),
            code("name=", bound["name"]),
        ]
        if "trainable" in bound:
            parts.append(code("trainable=", bound["trainable"]))
        self.claimed[call] = ("V104", "tf.Variable under the strategy's scope")
        self.plan.replace(call, code("tf.Variable(", ir.joined(", ", parts), ")"))

    def _initial_value(
        self, call: ast.Call, bound: dict[str, ast.expr], scopes: list[ast.Call]
    ) -> Code:
        initializer = bound.get("initializer")
        if initializer is None or (
            isinstance(initializer, ast.Constant) and initializer.value is None
        ):
            initializer = next(
                (
                    found
                    for scope in reversed(scopes)
                    if (found := names.argument(scope, "initializer", 3)) is not None
                    and not (isinstance(found, ast.Constant) and found.value is None)
                ),
                None,
            )
        shape = bound.get("shape")
        dtype: Code = code(bound["dtype"]) if "dtype" in bound else code("tf.float32")
        if shape is None:
            if initializer is None:
                self.diagnostics.refuse(
                    "V105",
                    call,
                    "a variable shared from elsewhere: no shape is given here",
                    "Keep the variable in a Python name.",
                    "tf.get_variable",
                )
                return code()
            return code(initializer)  # TF1: without a shape it is the value itself.
        made: Code
        if initializer is None and self._is_whole(bound.get("dtype")):
            made = code("tf.compat.v1.zeros_initializer()")
        elif initializer is None:
            made = code("tf.compat.v1.glorot_uniform_initializer()")
        elif self._is_initializer_class(initializer):
            made = code(initializer, "()")
        else:
            made = code(initializer)
        return code(made, "(", shape, ", dtype=", dtype, ")")

    def _is_whole(self, dtype: ast.expr | None) -> bool:
        """Whether it is a dtype whose variables TF1 made zero: integers and bool."""
        if isinstance(dtype, ast.Constant) and isinstance(dtype.value, str):
            symbol = f"tf.{dtype.value}"
        else:
            symbol = (self.scopes.resolve(dtype) if dtype is not None else None) or ""
        return symbol in _WHOLE

    def _is_initializer_class(self, node: ast.expr) -> bool:
        symbol = self.scopes.resolve(node)
        return symbol is not None and roles.is_initializer(symbol)

    def _partitioner(self, call: ast.Call, symbol: str) -> None:
        target, parameters, renamed = _PARTITIONER_TARGETS[symbol]
        bound = names.bound_arguments(call, parameters)
        if bound is None:
            self.diagnostics.refuse(
                "P101",
                call,
                "this partitioner's arguments cannot be told apart",
                "",
                symbol,
            )
            return
        axis = names.literal(bound.get("axis"))
        if "axis" in bound and axis != 0:
            self.diagnostics.refuse(
                "P102",
                call,
                f"axis={ast.unparse(bound['axis'])}: ParameterServerStrategy shards axis 0 only",
                "Transpose the variable, or leave it whole.",
                symbol,
            )
            return
        parts = [code(f"{renamed[n]}=", v) for n, v in bound.items() if n in renamed]
        if (
            symbol == "tf.min_max_variable_partitioner"
            and "max_partitions" not in bound
        ):
            parts.append(code("max_shards=1"))
        self.claimed[call] = (
            "P110",
            f"tf.distribute.experimental.partitioners.{target}",
        )
        self.plan.replace(
            call,
            code(
                f"tf.distribute.experimental.partitioners.{target}(",
                ir.joined(", ", parts),
                ")",
            ),
        )

    def _embedding(self, call: ast.Call) -> None:
        """Partitioned tables under "mod", TF1's default, need their rows found anew."""
        table = names.argument(call, "params", 0)
        ids = names.argument(call, "ids", 1)
        strategy = names.literal(names.argument(call, "partition_strategy", 2))
        given = names.argument(call, "partition_strategy", 2)
        partitioned = self.program.partitioned
        if table is None or ids is None:
            return
        extra = [k for k in call.keywords if k.arg in ("max_norm", "name")]
        if any(
            k.arg not in ("params", "ids", "partition_strategy", "max_norm", "name")
            for k in call.keywords
        ) or isinstance(table, (ast.List, ast.Tuple)):
            return
        if given is not None and not isinstance(strategy, str):
            self.diagnostics.refuse(
                "P103", call, "the partition strategy is not a constant"
            )
            return
        rows: Code = code(ids)
        reason = "tf.nn.embedding_lookup"
        if partitioned and strategy != "div":
            rows = code("training_session.mod_rows(", ids, ", ", table, ")")
            reason = 'rows found as TF1\'s partition_strategy="mod" laid them'
        if self.program.replication.averages and not self.program.towers:
            # Measured in reference/sparse_sync: equal for sorted, distinct ids; else an
            # embedding of 0.5 is off by .015 (repeated) to .11 (unsorted) in 120 steps.
            code_, reason = (
                "O114",
                "every row is averaged over the workers whose batch has it, as in TF1 "
                "where a batch's ids are sorted and distinct; other ids TF1 averaged only "
                "in part",
            )
        else:
            code_ = "P111"
        parts = [code(table), rows, *[code(f"{k.arg}=", k.value) for k in extra]]
        self.claimed[call] = (code_, reason)
        self.plan.replace(
            call, code("tf.nn.embedding_lookup(", ir.joined(", ", parts), ")")
        )

    # -- global step ---------------------------------------------------------------------

    def _global_step(self, call: ast.Call) -> None:
        parent = self.scopes.parents.get(call)
        symbol = self.scopes.resolve(call.func)
        self.claimed[call] = ("V106", "the step counter, under TF1's name")
        in_driver = self._in_driver(call)
        if (
            isinstance(parent, ast.Assign)
            and not self.created_step
            and in_driver
            and not (symbol or "").endswith("get_global_step")
        ):
            self.created_step = True
            self.plan.replace(call, code("training_session.create_global_step()"))
        elif isinstance(parent, ast.Expr):  # It is made where the scope begins.
            self.plan.statements[parent] = [Dropped(parent)]
        elif in_driver:
            self.plan.replace(call, code("replicas.global_step"))
        else:
            self.diagnostics.refuse(
                "V124",
                call,
                "the global step is looked up in a helper function",
                "Pass the step variable to the function.",
                symbol or "",
            )

    def _in_driver(self, node: ast.AST) -> bool:
        current: ast.AST | None = node
        while current is not None and not isinstance(
            current, (ast.FunctionDef, ast.Module)
        ):
            current = self.scopes.parents.get(current)
        return current is self.program.driver

    def _collection(self, call: ast.Call, symbol: str) -> None:
        if symbol == "tf.get_collection":
            key = self.scopes.resolve(call.args[0]) if call.args else None
            if key == "tf.GraphKeys.UPDATE_OPS":
                self.claimed[call] = (
                    "L106",
                    "Keras layers update their moving averages when they are called",
                )
                self.claimed[call.args[0]] = self.claimed[call]
                self.plan.replace(call, code("[]"))
                return
            if key != "tf.GraphKeys.TRAINABLE_VARIABLES":
                return
            self.claimed[call.args[0]] = ("V110", "replicas.trainable_variables")
        self.claimed[call] = ("V110", "replicas.trainable_variables")
        if not self._in_driver(call):
            self.diagnostics.refuse(
                "V123",
                call,
                "all trainable variables are looked up in a helper function",
                "Pass the variables to the function.",
                symbol,
            )
        position = 1 if symbol == "tf.get_collection" else 0
        scope = names.argument(call, "scope", position)
        if scope is None or (isinstance(scope, ast.Constant) and scope.value is None):
            self.plan.replace(call, code("replicas.trainable_variables"))
        else:
            self.plan.replace(call, code("replicas.trainable_in(", scope, ")"))

    # -- saving --------------------------------------------------------------------------

    def _saver(self, call: ast.Call) -> None:
        kept = ("max_to_keep", "keep_checkpoint_every_n_hours")
        ignored = (
            "sharded",
            "write_version",
            "save_relative_paths",
            "name",
            "allow_empty",
        )
        known = ("var_list", *kept, *ignored)
        unknown = [k.arg for k in call.keywords if k.arg not in known]
        chosen = names.argument(call, "var_list", 0)
        if isinstance(chosen, ast.Constant) and chosen.value is None:
            chosen = None
        if isinstance(chosen, ast.Call) and not (chosen.args or chosen.keywords):
            if self.scopes.resolve(chosen.func) in (
                "tf.global_variables",
                "tf.all_variables",
            ):
                self.claimed[chosen] = ("V112", "all variables: the default")
                chosen = None
        named = chosen is None or (
            self._in_driver(call) and self._all_variables(chosen)
        )
        if len(call.args) > 1 or unknown or not named:
            self.diagnostics.refuse(
                "V111",
                call,
                "a Saver of variables that are not named one by one",
                "List them by the names that the program has for them: "
                'tf.train.Saver([w, b]) or tf.train.Saver({"weights": w}).',
                "tf.train.Saver",
            )
            return
        parts = [code(f"{k.arg}=", k.value) for k in call.keywords if k.arg in kept]
        if chosen is not None:
            parts.insert(0, code(chosen))
        self.claimed[call] = ("V112", "training_session.Saver, TF1's checkpoint format")
        self.plan.replace(
            call, code("training_session.Saver(", ir.joined(", ", parts), ")")
        )

    def _all_variables(self, chosen: ast.expr) -> bool:
        """Whether a `var_list` lists variables by the names that the program has."""
        elements: list[ast.expr] = []
        if isinstance(chosen, ast.Dict):
            elements = chosen.values
        elif isinstance(chosen, (ast.List, ast.Tuple, ast.Set)):
            elements = chosen.elts
        return bool(elements) and all(
            self.program.kinds.get(names.key(element) or "") is Kind.VARIABLE
            for element in elements
        )

    def _scaffold(self, call: ast.Call) -> None:
        allowed = (
            "saver",
            "init_op",
            "local_init_op",
            "ready_op",
            "ready_for_local_init_op",
            "summary_op",
        )
        unknown = [k.arg for k in call.keywords if k.arg not in allowed]
        if call.args or unknown:
            self.diagnostics.refuse(
                "S124",
                call,
                f"Scaffold({', '.join(map(str, unknown)) or '...'})",
                "Do in Python, before the session, what init_fn did.",
                "tf.train.Scaffold",
            )
            return
        parts = [code("saver=", k.value) for k in call.keywords if k.arg == "saver"]
        self.claimed[call] = ("S125", "training_session.Scaffold")
        self.plan.replace(
            call, code("training_session.Scaffold(", ir.joined(", ", parts), ")")
        )
