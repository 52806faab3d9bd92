"""What replicas share: variables and their names, step functions, checkpoints' values."""

import contextlib
import re
import threading

import tensorflow as tf

from .operations import layers_take_dtype_of_input
from .step_functions import StepFunction
from .summaries import summary
from .variables import is_local, name_of, seeds_begin_anew, shards_of, value_of

this_thread = threading.local()  # In another worker's thread: task_index, generators.


def task_index(own):
    """The task whose loop this thread runs; `own`, this process's, outside of loops."""
    return getattr(this_thread, "task_index", own)


class Replicas:
    """The variables of one training program, and how its steps are run."""

    # Only for synchronous.SynchronousReplicas or plain_session.LocalReplicas.
    # Only for asynchronous.AsynchronousReplicas.
    losses = 0  # How many times variables were lost and restored.

    def __init__(self, strategy):
        self.strategy = strategy
        self.count = 1  # How many replicas this process has; each takes a batch.
        # Whether variable scopes are opened again where replicas meet, as in TF1.
        self.scopes_open_twice = False
        self.ready = threading.Event()
        self.failed = threading.Event()
        self._recorded = []
        # Only for variables.is_local.
        self._local = []
        # Only for variables.is_local.
        self.local_values = []  # Local variables, and the values that they begin with.
        self.steps = []  # Every StepFunction.
        self.chief = None  # The session that restores and saves.
        self._counter = None
        # What a TF1 partitioner has split, by the variables' own names: the name that
        # such a part has in checkpoints.
        self._parts = {}
        # By that, which rows it holds where no other part has the same name.
        self.slices = {}
        # What is around a step that is traced: see graph_variables.py, where it is used.
        self.graph_code = contextlib.nullcontext
        self.observed_variables = {}  # What steps observe of these, by key.
        self._fed = {}  # What optimizers are fed, by name and the graph that is traced.
        self._names = set()
        self._slot_scope = ""
        # What a step that is traced observes: MirroredStrategy traces every replica in
        # a thread of its own, one until it meets the others, then the next.
        self._tracing = threading.local()

    @contextlib.contextmanager
    def recording(self, drawn=True):
        """Records the variables created inside, in order, under TF1's unique names.

        Args:
          drawn: whether their initial values are used. To draw these as TF1 did, all
            random numbers begin anew, also those of functions in use.
        """

        def create(next_creator, **kwargs):
            # Only for variables.is_local.
            if is_local(kwargs):
                self._local.append(next_creator(**kwargs))
                return self._local[-1]
            name = kwargs.get("name") or "Variable"
            scope = tf.get_current_name_scope()
            # Only for Replicas.slots_in.
            if self._slot_scope and "/" in name:
                name = f"{self._slot_scope}/{name}"
            prefix, number = (scope + "/" if scope else ""), 0
            unique = name
            while prefix + unique in self._names:
                number += 1
                unique = f"{name}_{number}"
            self._names.add(prefix + unique)
            kwargs["name"] = unique
            none = tf.VariableAggregation.NONE
            fixed = kwargs.get("trainable") is False
            if fixed and kwargs.get("aggregation", none) == none:
                # Counters are the same on every replica.
                kwargs["aggregation"] = tf.VariableAggregation.ONLY_FIRST_REPLICA
            # Only for operations.layers_take_dtype_of_input.
            if kwargs.get("synchronization") == tf.VariableSynchronization.ON_READ:
                # Batch normalisation's averages: kept equal in every step, because the
                # chief saves alone, and to read them it would need all the others.
                kwargs["synchronization"] = tf.VariableSynchronization.AUTO
            initial = kwargs.get("initial_value")
            if callable(initial) and not hasattr(initial, "checkpoint_position"):
                # Drawn here: parameter servers would go on with streams of their own.
                with tf.init_scope():
                    kwargs["initial_value"] = initial()
            variable = next_creator(**kwargs)
            self._recorded.append(variable)
            # Head only for Replicas.recording(drawn).
            if drawn:
                seeds_begin_anew()
            return variable

        # Head only for Replicas.recording(drawn).
        if drawn:
            seeds_begin_anew()
        with tf.variable_creator_scope(create):
            # Head only for operations.layers_take_dtype_of_input.
            with layers_take_dtype_of_input():
                yield

    def hold_part(self, name, saved, rows=None):
        """Tells that a variable holds a part of what has the name `saved` in checkpoints.

        Args:
          rows: which ones, where no other variable holds a part of it.
        """
        self._parts[name] = saved
        if rows is not None:
            self.slices[saved] = rows

    @contextlib.contextmanager
    def slots_in(self, scope):
        """Names slots that an update inside makes as TF1 did in a variable scope."""
        self._slot_scope = scope
        try:
            yield
        finally:
            self._slot_scope = ""

    @property
    def trainable_variables(self):
        """Trainable variables in the order of their creation, as TF1 had them."""
        return [part for part in self.global_variables if part.trainable]

    def trainable_in(self, scope):
        """Those whose TF1 name (`scope/name:0`) matches a regular expression."""
        return [v for v in self.trainable_variables if re.match(scope, v.name)]

    @property
    def global_variables(self):
        """All variables in the order of their creation: slots, counters, averages too."""
        every = list(self._recorded)
        # Only for variables.shards_of.
        every = [part for variable in every for part in shards_of(variable)]
        return every

    def global_in(self, scope):
        """Those of all variables whose TF1 name matches a regular expression."""
        return [v for v in self.global_variables if re.match(scope, v.name)]

    @property
    def global_step(self):
        """The variable that counts the steps, or that is named `global_step`; or None."""
        # Only for Replicas.count_in.
        if self._counter is not None:
            return self._counter
        named = (v for v in self._recorded if name_of(v) == "global_step")
        return next(named, None)

    def count_in(self, variable):
        """Makes a variable of another name the global step."""
        self._counter = variable

    def another_update(self):
        """Lets a step have another `apply_gradients`.

        TF2's looks for itself among those before by `==`, which variables do not bear.
        """
        graph = tf.compat.v1.get_default_graph()
        graph.clear_collection(tf.compat.v1.GraphKeys.TRAIN_OP)

    def feed(self, name, tensor):
        """Gives an optimizer, in the step that is traced now, what it asks `fed` for."""
        self._fed[name, tf.compat.v1.get_default_graph()] = tensor

    def fed(self, name):
        """A function of what the step that is traced feeds under this name.

        For an optimizer's learning rate, where TF1's was a placeholder or a tensor.
        """
        return lambda: self._fed[name, tf.compat.v1.get_default_graph()]

    # Only for synchronous.SynchronousReplicas or asynchronous.AsynchronousReplicas.
    def average(self, gradients):
        """Gradients divided by the number of replicas.

        `apply_gradients` of tf.compat.v1 optimizers adds up what the replicas
        give; SyncReplicasOptimizer averaged it. Of a sparse gradient it averaged each
        row over the replicas that have it.
        """
        replicas = self.strategy.num_replicas_in_sync
        if replicas == 1:
            return list(gradients)

        def average_one(gradient):
            # Only for by_contributors.
            if isinstance(gradient, tf.IndexedSlices):
                return by_contributors(gradient)
            return gradient if gradient is None else gradient * (1.0 / replicas)

        return list(map(average_one, gradients))

    def check_aggregation(self, replicas_to_aggregate, total_num_replicas=None):
        """Fails where SyncReplicasOptimizer would not have waited for every replica.

        Raises:
          ValueError: TF2 has no strategy that drops or repeats replicas' gradients.
        """
        replicas = self.strategy.num_replicas_in_sync
        given = {"replicas_to_aggregate": replicas_to_aggregate}
        # Only for Replicas.check_aggregation(total_num_replicas).
        given["total_num_replicas"] = total_num_replicas
        for name, value in given.items():
            if value is not None and int(value) != replicas:
                raise ValueError(
                    f"{name}={value}, but synchronous training here averages the "
                    f"gradients of all {replicas} workers in every step."
                )

    # Only for asynchronous.AsynchronousReplicas.
    def ended(self):
        """A session of these replicas has ended."""

    # Only for synchronous.SynchronousReplicas or plain_session.LocalReplicas.
    # Only for asynchronous.AsynchronousReplicas.
    def recovered(self, seen):
        """Whether variables were lost, after so many losses, and have their values again."""
        return False

    def every_variable(self):
        """All variables, also the local ones."""
        every = self.global_variables
        # Only for variables.is_local.
        every += [variable for variable, _ in self.local_values]
        return every

    # Only for synchronous.SynchronousReplicas or plain_session.LocalReplicas.
    def read(self, variable):
        """A variable's value, as a numpy array."""
        return variable.numpy()

    def replica(self):
        """Which of this process's replicas is being traced; None outside of them."""
        return None if tf.distribute.get_replica_context() is None else 0

    def of_replicas(self, values):
        """What a run gives of one value per replica of this process."""
        return values[0]

    # Only for synchronous.SynchronousReplicas or plain_session.LocalReplicas.
    # Only for asynchronous.AsynchronousReplicas.
    def returned(self, values):
        """What the function of a step returns of the step's values."""
        return values

    def observe(self, tensors):
        """Gives the session's hooks values of this step, by key; variables' as they are here."""
        for key, item in tensors.items():
            if hasattr(item, "read_value"):
                self.observed_variables[key] = item
        if getattr(self._tracing, "observed", None) is not None:
            values = tf.nest.map_structure(value_of, tensors)
            self._tracing.observed.update(values)

    def step_function(self, *specs):
        """Decorates what one replica computes in one step, inside `recording()`.

        It is traced at once: a checkpoint is read into optimizers' slots, too.

        Args:
          *specs: a tf.TensorSpec (or a structure of them) per parameter.
        """
        return lambda function: StepFunction(self, function, specs)

    def _trace(self, function, args):
        """One replica's results, by kind."""
        # Only for Replicas.observe or hooks.LoggingTensorHook or hooks.NanTensorHook or hooks.SummarySaverHook(summary_op) or own_hooks.OwnHook.
        observed = self._tracing.observed = {}
        # Only for summaries.summary.
        summary.entries = []
        graph = tf.compat.v1.get_default_graph()
        if graph.building_function:
            # A summary of a variable's name was numbered: the name was in use.
            for name in sorted(self._names):
                graph.unique_name(name)
        # Head only for graph_variables.keep.
        with self.graph_code():
            fetches = tf.nest.map_structure(value_of, function(*args))
        results = {"fetches": fetches}
        # Only for summaries.summary.
        if summary.entries:
            results["summaries"] = summary.merge_all()
        # Only for Replicas.observe or hooks.LoggingTensorHook or hooks.NanTensorHook or hooks.SummarySaverHook(summary_op) or own_hooks.OwnHook.
        results["observed"], self._tracing.observed = observed, None
        step = self.global_step
        if step is not None:
            parts = tf.nest.flatten(fetches, expand_composites=True)
            with tf.control_dependencies(list(filter(tf.is_tensor, parts))):
                results["global_step"] = step.read_value()
        return results

    def entries(self):
        """Lists of variables by TF1's names in checkpoints: one, or its parts in row order."""
        # Only for variables.shards_of.
        sharded = {name_of(v) for v in self._recorded if len(shards_of(v)) > 1}
        found = {}
        for variable in self._recorded:
            name, parts = name_of(variable), [variable]
            # Only for variables.shards_of.
            parts = shards_of(variable)
            # Only for variables.shards_of.
            slot = re.fullmatch(r"(.*)/part_\d+/(.*)", name)
            # Only for variables.shards_of.
            if slot and slot[1] in sharded:
                name = f"{slot[1]}/{slot[2]}"
            # Only for Replicas.hold_part.
            name = self._parts.get(name_of(variable), name)
            found.setdefault(name, []).extend(parts)
        return found


def by_contributors(gradient):
    """A sparse gradient, each row divided by how many replicas have that row."""
    here = tf.scatter_nd(
        gradient.indices[:, tf.newaxis],
        tf.ones_like(gradient.indices, gradient.dtype),
        tf.cast(gradient.dense_shape[:1], gradient.indices.dtype),
    )
    context = tf.distribute.get_replica_context()
    total = context.all_reduce("sum", tf.cast(here > 0, gradient.dtype))
    rank = len(gradient.values.shape)
    times = tf.reshape(tf.gather(total, gradient.indices), [-1] + [1] * (rank - 1))
    return tf.IndexedSlices(
        gradient.values / times, gradient.indices, gradient.dense_shape
    )
