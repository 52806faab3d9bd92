"""Every expression of a program, in order."""

from __future__ import annotations

import ast

from migrate.backends import moving_averages, recurrent_cells, streaming_metrics
from migrate.backends.custom_loop import static_shapes
from migrate.backends.expressions.datasets import Datasets
from migrate.facts import device_values, global_steps, names
from migrate.findings import Finding, Outcome
from migrate.plan import Dropped
from migrate.program import scope_defaults
from migrate.program.code import join_code, make_code
from migrate.program.ir import Kind, Replication
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import recurrent, roles
from migrate.tables.hooks import HOOKS
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS

_NO_GRAPH = "the graph is not written, as step functions have no single one"
_ITERATOR_METHODS = ("make_one_shot_iterator", "make_initializable_iterator")


class Expressions(Datasets):
    """Plans the expressions of one program; `claimed` says who answers for which use."""

    def run(self) -> None:
        self._apart = self.program.find_unused(self.scopes)
        self._collect_claims()
        self._visit_node(self.scopes.tree, [])
        self._rewrite_graph_functions(self._apart)
        known = self.program, self.scopes, self.diagnostics
        moving_averages.report_unordered_averages(*known)
        moving_averages.refuse_unknown_values(*known)
        self._check_fed_inside()
        for compared in self.program.identities:
            self._rewrite_identity(compared)
        for node, new in static_shapes.make_edits(self.scopes).items():
            if node not in self.plan.expressions:
                self.plan.replace(node, new)

    def _is_within(self, placeholder: ast.Call) -> bool:
        """Whether it is an operand, as where a function that gives it was inlined."""
        above = self.scopes.parents.get(placeholder)
        if isinstance(above, ast.keyword):
            above = self.scopes.parents.get(above)
        if isinstance(above, ast.Call):
            symbol = self.scopes.resolve(above.func) or ""
            return symbol.startswith("tf.") and symbol not in roles.PLACEHOLDERS
        return isinstance(above, ast.BinOp)

    def _rewrite_identity(self, node: ast.Compare) -> None:
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
            self.plan.replace(node, make_code(left, word, right))
        elif isinstance(how, ast.In):
            self.plan.replace(
                node, make_code("any(", left, " is other for other in ", right, ")")
            )
        else:
            self.plan.replace(
                node, make_code("all(", left, " is not other for other in ", right, ")")
            )

    def _collect_claims(self) -> None:
        program = self.program
        claim = self.claimed
        if program.cluster is not None:
            claim[program.cluster.server_call] = (
                "C110",
                "tf.distribute.Server, with threads enough to serve and compute",
            )
        plain = ("S115", "plain_session.Session, which runs step functions")
        claim[program.session_call] = (
            plain
            if self.scopes.resolve(program.session_call.func) in roles.PLAIN_SESSIONS
            else (
                "S115",
                "the session's services in training_session.MonitoredTrainingSession",
            )
        )
        for call in program.others:
            claim[call] = plain
        for call in program.hook_edits:
            claim[call] = ("H110", "the same hook in training_session")
        if program.own_hooks is not None:
            claim.update(program.own_hooks.claimed)
        reasons = {
            Kind.PLACEHOLDER: ("S116", "a parameter of the step functions"),
            Kind.INITIALIZER_OP: (
                "S117",
                "dropped: variables are initialised when they are created",
            ),
            Kind.DEVICE: ("C111", "dropped: the strategy places the variables"),
        }
        apart = {n for d in self._apart for n in walk_breadth_first(d)}
        for node in walk_breadth_first(self.scopes.tree):
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
                if kind is Kind.PLACEHOLDER and self._is_within(node):
                    self.diagnostics.refuse(
                        "S111",
                        node,
                        "no run can feed this placeholder, because it has no name",
                        "Assign the placeholder to a variable in a statement of "
                        "its own, and feed that.",
                    )
                if symbol and symbol.startswith("tf.contrib.training.Greedy"):
                    claim[node] = (
                        "C111",
                        "dropped: TF2 places variables round robin; give the strategy "
                        "a partitioner to balance bytes",
                    )
            elif symbol in (
                "tf.disable_v2_behavior",
                "tf.disable_eager_execution",
                "tf.enable_resource_variables",
            ):
                claim[node] = ("S117", "dropped: the program runs as TF2 does")
                parent = self.scopes.parents.get(node)
                if isinstance(parent, ast.Expr):
                    self.plan.statements[parent] = [Dropped(parent)]
            elif symbol in ("tf.Graph", "tf.reset_default_graph"):
                claim[node] = ("S117", "dropped: TF2 has no default graph to open")
                parent = self.scopes.parents.get(node)
                if symbol != "tf.Graph" and isinstance(parent, ast.Expr):
                    self.plan.statements[parent] = [Dropped(parent)]
        for node in walk_breadth_first(self.scopes.tree):
            if isinstance(node, (ast.Attribute, ast.Name)):
                symbol = self.scopes.resolve(node)
                if symbol and symbol.startswith("tf.contrib.training.byte_size_load"):
                    claim[node] = ("C111", "dropped: TF2 places variables round robin")

    def _visit_node(self, node: ast.AST, scopes: list[ast.Call]) -> None:
        if node in self._apart:
            return  # No part of the program: as in any other file.
        if node in self.graph.inside:
            return  # It stays graph code.
        own = self.program.own_hooks
        if own is not None and node in own.refused:
            return  # That is reason enough.
        if own is not None and node in own.edits:
            for part in own.edits[node].walk_nodes():
                self._visit_node(part, scopes)
            return
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            scopes = []  # Its scopes are those of its calls.
        if isinstance(node, (ast.With,)):
            inner = list(scopes)
            for item in node.items:
                call = item.context_expr
                if (
                    isinstance(call, ast.Call)
                    and self.scopes.resolve(call.func) == "tf.variable_scope"
                ):
                    self._rewrite_variable_scope(call)
                    inner.append(call)
                    if item.optional_vars is not None:
                        self._visit_node(item.optional_vars, scopes)
                    for argument in [*call.args, *[k.value for k in call.keywords]]:
                        self._visit_node(argument, scopes)
                else:
                    self._visit_node(item, scopes)
            for statement in node.body:
                self._visit_node(statement, inner)
            return
        if isinstance(node, ast.Call):
            self._rewrite_call(node, scopes)
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "name"
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "op"
            and self.scopes.resolve(node) is None
        ):  # A variable of TF2 has no `op`.
            tensor = node.value.value
            if self.program.replication is Replication.TOWERS:
                self.plan.replace(
                    node, make_code("plain_session.op_name(", tensor, ")")
                )
            else:
                self.plan.replace(node, make_code(tensor, '.name.split(":")[0]'))
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "initialized_value"
            and self.scopes.resolve(node) is None
        ):  # A variable of TF2 has its initial value when it is made.
            self.plan.replace(node, make_code(node.value, ".read_value"))
        for child in list_children(node):
            self._visit_node(child, scopes)

    def _rewrite_tuple(self, call: ast.Call) -> None:
        """`tf.tuple([loss, w])`: TF2's takes tensors only, and asks each for its operation."""
        given = names.find_argument(call, "tensors", 0)
        for element in getattr(given, "elts", ()):
            if self.program.kinds.get(names.find_key(element) or "") is Kind.VARIABLE:
                self.plan.replace(
                    element, make_code("tf.convert_to_tensor(", element, ")")
                )

    def _rewrite_gradients(self, call: ast.Call) -> None:
        if call not in self.program.tensor_gradients:
            self.claimed[call] = ("O112", "tape.gradient")
            return
        self.claimed[call] = ("O112", "tf.gradients in the graph of a step function")
        bound = names.bind_arguments(call, roles.GRADIENTS_PARAMETERS) or {}
        if len(call.args) > 4 or "colocate_gradients_with_ops" in bound:
            # TensorFlow 2 has no such argument, and the next ones in another place.
            kept = [bound.pop("ys"), bound.pop("xs")]
            named = [
                make_code(f"{name}=", value)
                for name, value in bound.items()
                if name != "colocate_gradients_with_ops"
            ]
            given = join_code(", ", [*map(make_code, kept), *named])
            self.plan.replace(call, make_code(call.func, "(", given, ")"))

    def _rewrite_call(self, call: ast.Call, scopes: list[ast.Call]) -> None:
        symbol = self.scopes.resolve(call.func)
        if self.program.cluster is not None and ast.unparse(call) == roles.TOWER_INDEX:
            self.plan.replace(call, make_code("replicas.tower()"))
            return
        if call in self.program.fed_datasets:
            self._rewrite_fed_dataset(call)
        elif symbol is None:
            self._rewrite_method(call)
        elif symbol == "tf.data.Dataset.from_generator":
            self._keep_on_demand(call)
        elif symbol == "tf.get_variable":
            self._get_variable(call, scopes)
        elif symbol == "tf.device":
            self._rewrite_device(call)
        elif symbol in OPTIMIZERS:
            self._rewrite_optimizer(call, OPTIMIZERS[symbol])
        elif symbol in roles.GLOBAL_STEPS:
            self._rewrite_global_step(call)
        elif symbol == "tf.train.global_step":
            step = names.find_argument(call, "global_step_tensor", 1)
            if step is not None:
                self.claimed[call] = ("V104", "the variable's own value")
                self.plan.replace(call, make_code(step, ".numpy()"))
        elif global_steps.is_counter(self.scopes, call):
            self._drop_counter(call, symbol)
        elif symbol in roles.TRAINABLE | roles.GLOBAL or symbol == "tf.get_collection":
            self._rewrite_collection(call, symbol)
        elif symbol in roles.PARTITIONERS:
            self._rewrite_partitioner(call, symbol)
        elif symbol in roles.SUMMARIES or symbol in (
            "tf.summary.merge_all",
            "tf.summary.merge",
        ):
            self.claimed[call] = ("M110", "collected while the step is traced")
            self.plan.replace(
                call.func,
                make_code("training_session.summary.", symbol.rpartition(".")[2]),
            )
        elif symbol == "tf.summary.FileWriter":
            directory = names.find_argument(call, "logdir", 0)
            if directory is not None:
                graph = names.find_argument(call, "graph", 1)
                writer = "training_session.SummaryWriter"
                if names.find_argument(call, "filename_suffix", 5) is not None:
                    writer += ". Its file has no suffix of the program's own"
                self.claimed[call] = ("M110", writer)
                if graph is not None:
                    self._tell_lost_graph(call, "tf.summary.FileWriter", _NO_GRAPH)
                self.plan.replace(
                    call, make_code("training_session.SummaryWriter(", directory, ")")
                )
        elif symbol == "tf.train.Saver":
            self._rewrite_saver(call)
        elif symbol == "tf.train.Scaffold":
            self._rewrite_scaffold(call)
        elif symbol in LAYER_CLASSES:
            row = LAYER_CLASSES[symbol]
            self.claimed[call] = ("L104", row.target)
            if row.seeded and names.find_argument(
                call, "seed", row.parameters.index("seed")
            ):
                self.claimed[call] = (
                    "L104",
                    f"{row.target}; by this seed it draws other values than TF1 did",
                )
            self.plan.imports.append("import tf_keras")
            default = self.defaults.find(call)
            if default is None:
                self.plan.replace(call.func, make_code(row.target))
            else:
                self.plan.replace(
                    call, scope_defaults.write_call(call, symbol, row.target, default)
                )
        elif symbol in recurrent.TARGETS:
            self.claimed[call] = recurrent_cells.rewrite(
                call,
                symbol,
                self.scopes,
                self.diagnostics,
                self.plan,
                self.defaults.find(call),
            )
        elif symbol == moving_averages.SYMBOL:
            self.claimed[call] = moving_averages.rewrite(
                call, self.program, self.scopes, self.diagnostics, self.plan
            )
        elif symbol in LAYER_FUNCTIONS and self._has_deciding_seed(call, symbol):
            self.claimed[call] = ("L104", "a function that draws what TF1's layer drew")
        elif symbol in LAYER_FUNCTIONS:
            self.claimed[call] = (
                "L104",
                "a Keras layer made once, applied in the step function",
            )
            self.plan.imports.append("import tf_keras")
            if self.program.numbers_layers:
                self.plan.support.add("layer_names.py")
                self.plan.imports.append("import layer_names")
            towers = self.program.towers
            if symbol == "tf.layers.batch_normalization" and towers:
                self.plan.support.add("tower_normalisation.py")
                self.plan.imports.append("import tower_normalisation")
        elif symbol.startswith(roles.DATASET_PREFIXES) and symbol.endswith("_iterator"):
            if call.args:
                self.claimed[call] = ("I111", "a Python iterator of the dataset")
                self.plan.replace(call, make_code("iter(", call.args[0], ")"))
        elif symbol == "tf.nn.embedding_lookup":
            self._rewrite_embedding(call)
        elif symbol == "tf.gradients":
            self._rewrite_gradients(call)
        elif symbol == "tf.tuple":
            self._rewrite_tuple(call)
        elif symbol in HOOKS and call not in self.program.hook_edits:
            self.diagnostics.refuse(
                "N150",
                call,
                "the program makes a hook outside of the program that the tool "
                "migrates",
                "Make the hook where the session is opened, with its arguments "
                "written out.",
            )

    def _has_deciding_seed(self, call: ast.Call, symbol: str) -> bool:
        """Whether a layer function is given a seed that decides what it computes."""
        row = LAYER_FUNCTIONS[symbol]
        bound = names.bind_arguments(call, ("inputs", *row.parameters)) or {}
        seed = bound.get("seed")
        none = isinstance(seed, ast.Constant) and seed.value is None
        return bool(row.seeded) and seed is not None and not none

    def _rewrite_device(self, call: ast.Call) -> None:
        """The setter's block becomes the scope; a local device is kept in the step."""
        where = call.args[0] if call.args else None
        if where is None:
            return
        known = device_values.find_value(self.scopes, where)
        text = known or "".join(
            n.value
            for n in walk_breadth_first(where)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
        symbol = self.scopes.resolve(where.func) if isinstance(where, ast.Call) else ""
        setter = symbol == "tf.train.replica_device_setter" or (
            self.program.kinds.get(names.find_key(where) or "") is Kind.DEVICE
        )
        if setter:
            self.claimed[call] = ("C111", "now the strategy's scope")
        elif self.program.connected is not None:
            self.claimed[call] = ("C130", "the same task, in the client's cluster")
        elif (
            known is not None or isinstance(where, ast.Constant)
        ) and "job:" not in text:
            self.claimed[call] = (
                "C111",
                "a local device: variables are placed by the strategy, and a block "
                "around the whole graph is dropped",
            )
        elif (text and "job" not in text and "task" not in text) or (
            not text and self.program.cluster is None
        ):
            self.diagnostics.refuse(
                "C115",
                call,
                f"the program computes the device (`{ast.unparse(where)}`), and the "
                "tool does not recognise towers of one loop in what is built on it",
                "Build the towers in one loop over the devices. Or remove "
                "tf.device: TensorFlow 2 places operations on a GPU by itself.",
                "tf.device",
            )
        else:
            self.diagnostics.refuse(
                "C115",
                call,
                "the program places the graph on tasks by hand, and not by "
                "replica_device_setter",
                "Leave the placement to the strategy, or do not migrate this program.",
                "tf.device",
            )

    def _holds_writer(self, node: ast.expr) -> bool:
        """Whether a name is bound to writers of summaries and to nothing else."""
        if not isinstance(node, ast.Name):
            return False
        owner = self.scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        return bool(bound) and all(
            isinstance(binding, ast.Assign)
            and isinstance(binding.value, ast.Call)
            and self.scopes.resolve(binding.value.func) in roles.WRITERS
            for binding in bound
        )

    def _drop_graph(self, call: ast.Call) -> None:
        """The call stays, of no graph."""
        for given in [*call.args[:1], *(k.value for k in call.keywords)]:
            self.plan.replace(given, make_code("None"))
        self._tell_lost_graph(call, "", f"`{ast.unparse(call.func)}`: {_NO_GRAPH}")

    def _tell_lost_graph(self, call: ast.Call, symbol: str, told: str) -> None:
        line, column = call.lineno, call.col_offset + 1
        done = Outcome.REWRITTEN
        self.diagnostics.findings.append(
            Finding(line, column, "M110", done, symbol, told, noted=True)
        )

    def _rewrite_method(self, call: ast.Call) -> None:
        function = call.func
        if not isinstance(function, ast.Attribute):
            return
        if names.find_key(function) in streaming_metrics.CALLED:
            self.claimed.update(
                streaming_metrics.rewrite(
                    call, self.program, self.scopes, self.diagnostics, self.plan
                )
            )
        base = self.program.kinds.get(names.find_key(function.value) or "")
        if base is Kind.OPTIMIZER and function.attr == "minimize":
            self._rewrite_minimize(call)
        if function.attr == "add_graph" and (
            base is Kind.WRITER or self._holds_writer(function.value)
        ):
            self._drop_graph(call)
        if function.attr in _ITERATOR_METHODS:  # Of nothing but datasets.
            self.plan.replace(call, make_code("iter(", function.value, ")"))
        elif self._is_dataset(call):
            self._keep_on_demand(call)
        elif base is Kind.LAYER and function.attr == "apply":
            self.plan.replace(function, make_code(function.value))
