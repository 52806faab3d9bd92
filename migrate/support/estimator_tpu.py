"""Training of a TPUEstimator on a TPU: one step is replicated over its cores.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and `training_session` beside it.

Connecting to a TPU, and running on one, has not been tried: there was none where this was
written. The same step, replicated over two parts of a CPU, gave the variables that
TensorFlow 1.15.5 has after the same batches as a whole, and compiled by XLA the same. You
can do so too: with `use_tpu=True` a strategy in RunConfig's `train_distribute` is taken
instead of the TPU's.

As in TF1 the loss is that of the first core. Unlike TF1, the host hears of every step
(`iterations_per_loop` has no effect), and batch normalisation's moving averages are the
mean of all cores'. Summaries of a model_fn are left out, as TF1 left them out; the loss's
is written.
"""

import contextlib
import functools

import numpy as np
import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from . import training_session

v1 = tf.compat.v1
PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2 = range(1, 4)


# -- connection ---------------------------------------------------------------


def strategy_of(config):
    """The strategy that trains: RunConfig's own, or that of its TPU.

    Args:
      config: a RunConfig of `estimator_loop.tpu`.

    Raises:
      RuntimeError: there is no TPU, or it cannot be reached.
    """
    if config.train_distribute is not None:
        return config.train_distribute
    return _connected(config.tpu_cluster, config.tpu_master or "local")


@functools.cache
def _connected(cluster, master):
    """One connection of a process to a TPU: another would end the first."""
    try:
        resolver = cluster or tf.distribute.cluster_resolver.TPUClusterResolver(master)
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        return tf.distribute.TPUStrategy(resolver)
    except (tf.errors.OpError, ValueError, RuntimeError, OSError) as error:
        named = "by RunConfig's cluster" if cluster else master
        raise RuntimeError(
            f"use_tpu=True, and there is no TPU to connect to ({named}). Without a TPU "
            f"pass use_tpu=False. TensorFlow says: {error}"
        ) from error


class TpuCluster:
    """What `estimator_loop`'s Cluster is to an Estimator: one process commands the TPU."""

    asynchronous = False
    averages = True  # CrossShardOptimizer does.

    def __init__(self, strategy):
        self.strategy = strategy

    def decide(self, probe):
        """Nothing: cores keep pace."""

    def is_chief(self, task_index):
        return True

    def input_context(self, task_index=0):
        """None: an input_fn asks `params["context"]`."""

    def replicas(self):
        return TpuReplicas(self.strategy)


# -- input --------------------------------------------------------------------


class InputContext:
    """TF1's TPUContext, `params["context"]` of an input_fn: which part of the input it is.

    Attributes:
      num_replicas, num_hosts: how many cores and hosts the TPU has.
      current_host: the host that the input is for.
    """

    def __init__(self, shards, invocation, invocations):
        self.num_replicas, self.num_hosts = shards.replicas, shards.hosts
        self.num_of_replicas_per_host = shards.replicas // shards.hosts
        self.current_host = invocation * shards.hosts // invocations
        self._deployment = invocation, invocations, shards.replicas // invocations

    def current_input_fn_deployment(self):
        """(device, which call of input_fn it is, of how many, replicas that it is for)."""
        return ("/device:CPU:0", *self._deployment)


class Shards:
    """How a batch of all cores is parted, as TF1's TPUConfig said.

    Args:
      strategy: what trains.
      tpu_config: a TPUConfig.
      batch_size: `train_batch_size`, of all cores together.
      batch_axis: as given to TPUEstimator.

    Raises:
      ValueError: TF1 raised it too, or the way of input is not covered.
    """

    def __init__(self, strategy, tpu_config, batch_size, batch_axis):
        self.replicas = strategy.num_replicas_in_sync
        self.hosts = getattr(strategy.extended, "num_hosts", 1)
        given = tpu_config.options
        self.way = way = given.get("per_host_input_for_training", True)
        if isinstance(way, bool):
            self.way = PER_HOST_V1 if way else PER_SHARD_V1
        if self.way not in (PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2):
            raise ValueError(
                f"per_host_input_for_training={way}: BROADCAST and SLICED are not "
                "covered; use InputPipelineConfig.PER_HOST_V2."
            )
        if given.get("num_cores_per_replica"):
            raise ValueError("num_cores_per_replica: one core trains a replica here.")
        if any(tf.nest.flatten(batch_axis or 0)):
            raise ValueError(f"batch_axis={batch_axis}: a batch is parted by axis 0.")
        if tpu_config.num_shards not in (None, self.replicas):
            raise ValueError(
                "TPUConfig.num_shards is not set correctly: num_replicas should be "
                f"({self.replicas}), got ({tpu_config.num_shards})."
            )
        if batch_size is None:
            raise ValueError("`train_batch_size` cannot be `None`")
        if batch_size % self.replicas:
            raise ValueError(
                f"train batch size {batch_size} must be divisible by number of "
                f"replicas {self.replicas}"
            )
        self.model_batch_size = batch_size // self.replicas
        parts = self.hosts if self.way == PER_HOST_V1 else self.replicas
        self.input_batch_size = batch_size // parts

    def dataset(self, call):
        """Batches of single replicas, in turn.

        Args:
          call: (params to add) -> the dataset of a call of input_fn.

        Raises:
          ValueError: a tensor has no static shape.
        """
        calls = self.replicas if self.way == PER_SHARD_V1 else self.hosts
        found = []
        for i in range(calls):
            context = InputContext(self, i, calls)
            params = {"batch_size": self.input_batch_size, "context": context}
            dataset = call(params)
            for spec in tf.nest.flatten(dataset.element_spec):
                shape = isinstance(spec, tf.TensorSpec) and spec.shape
                if shape is False or not shape.is_fully_defined():
                    raise ValueError(
                        "The features and labels returned by input_fn must have static "
                        f"shape on a TPU, not {spec}: batch with drop_remainder=True."
                    )
            if self.way == PER_HOST_V1:
                dataset = self._parted(dataset, self.replicas // calls)
            found.append(dataset)
        if len(found) == 1:
            return found[0]
        turns = np.repeat(np.arange(calls, dtype=np.int64), self.replicas // calls)
        turns = tf.data.Dataset.from_tensor_slices(turns).repeat()
        return tf.data.Dataset.choose_from_datasets(found, turns)

    @staticmethod
    def _parted(dataset, parts):
        """The batches of a dataset, each in so many elements."""

        def part(tensor):
            shape = tensor.shape.as_list()
            return tf.reshape(tensor, [parts, shape[0] // parts, *shape[1:]])

        def element(*given):
            return tf.nest.map_structure(part, given if len(given) > 1 else given[0])

        return dataset.map(element).unbatch()


# -- steps --------------------------------------------------------------------


class TpuReplicas(training_session.SynchronousReplicas):
    """The cores of a TPU, or the devices of another strategy in this process.

    A TPUStrategy traces one step for all of its cores; a MirroredStrategy one for each.

    Attributes:
      crossed: whether a CrossShardOptimizer was in the step.
    """

    by_strategy = {}

    def __init__(self, strategy):
        super().__init__(strategy, 0)
        self.count = strategy.num_replicas_in_sync
        self.have_copies = True  # As a TPU's cores had: each updates its own.
        self.crossed = False
        self.by_strategy[strategy] = self

    @contextlib.contextmanager
    def recording(self, drawn=True):
        """As everywhere; what a replica assigns to a variable is the first one's value."""

        def create(next_creator, **kwargs):
            none = tf.VariableAggregation.NONE
            if kwargs.get("aggregation", none) in (None, none):
                kwargs["aggregation"] = tf.VariableAggregation.ONLY_FIRST_REPLICA
            return next_creator(**kwargs)

        with tf.variable_creator_scope(create), super().recording(drawn):
            yield

    def replica(self):
        context = tf.distribute.get_replica_context()
        if context is None:
            return None
        # On a TPU it is known only when the step runs.
        return int(tf.get_static_value(context.replica_id_in_sync_group) or 0)

    def step_function(self, *specs):
        """As everywhere, but the step takes the arguments of each replica in turn.

        Raises (when it decorates):
          ValueError: the step has no CrossShardOptimizer.
        """
        return lambda function: _TpuStep(self, function, specs)

    def _trace(self, function, args):
        results = super()._trace(function, args)
        if self.replica() == 0:
            self._observed = results["observed"]
        # Traced later, another has what the first one's hooks observe.
        return {**results, "observed": self._observed}

    def restored(self, is_chief, restore):
        """What is restored is every core's."""
        restore()

    def ended(self):
        """There is nobody to wait for."""


class _TpuStep(training_session.StepFunction):
    """A step of all cores; its results are the first one's, as in TF1."""

    def __init__(self, replicas, function, specs):
        self.specs = specs * replicas.count
        self.__name__ = function.__name__
        strategy = replicas.strategy

        def distributed(*args):
            def own(context):
                first = context.replica_id_in_sync_group * len(specs)
                return args[first : first + len(specs)]

            batches = strategy.experimental_distribute_values_from_function(own)
            with _without_summaries():
                results = strategy.run(
                    lambda *a: replicas._trace(function, a), args=batches
                )
            if not replicas.crossed:
                raise ValueError(
                    "CrossShardOptimizer must be used for model training on TPUs."
                )
            first = tf.nest.map_structure(
                lambda x: (
                    x
                    if x is None
                    else replicas.of_replicas(strategy.experimental_local_results(x))
                ),
                results,
            )
            # Summaries are the host's.
            first["summaries"] = v1.summary.scalar("loss", first["fetches"])
            self._structure = first
            return [x for x in tf.nest.flatten(first) if x is not None]

        # As in TF1, Python's control flow runs when the graph is built.
        self.function = tf.function(
            distributed, input_signature=self.specs, autograph=False
        )
        self.function.get_concrete_function()


@contextlib.contextmanager
def _without_summaries():
    """What is traced inside has no summaries: their operations cannot be compiled."""
    module = v1.summary
    names = ("audio", "histogram", "image", "merge", "merge_all", "scalar")
    names += ("tensor_summary", "text")
    kept = {name: getattr(module, name) for name in names}
    try:
        for name in names:
            setattr(module, name, lambda *args, **kwargs: None)
        yield
    finally:
        for name, function in kept.items():
            setattr(module, name, function)


class CrossShardOptimizer(v1.tpu.CrossShardOptimizer):
    """tf.contrib.tpu.CrossShardOptimizer: the gradients of all cores, added up.

    The loss is divided by their number before, unless `reduction` is "weighted_sum"; so
    are gradients that `compute_gradients` gives, not those that a program gives itself.
    On a TPU, TensorFlow's own would add up twice what an optimizer adds up under a
    strategy.
    """

    def _replicas(self):
        return TpuReplicas.by_strategy.get(tf.distribute.get_strategy())

    def compute_gradients(self, loss, var_list=None, **kwargs):
        """(gradient, variable) pairs of one core.

        Raises:
          ValueError: there is a `group_assignment`.
        """
        replicas = self._replicas()
        if replicas is None:
            return super().compute_gradients(loss, var_list=var_list, **kwargs)
        if self._group_assignment:
            raise ValueError("group_assignment: all cores train together here.")
        if replicas.count > 1 and self._reduction == v1.losses.Reduction.MEAN:
            loss *= 1.0 / replicas.count
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Adds up the gradients and applies them; sparse ones as dense ones, as in TF1.

        Raises:
          ValueError: an optimizer with an `apply_gradients` of its own calls TensorFlow's,
            which would add them up again; or there is a `group_assignment`.
        """
        replicas = self._replicas()
        if replicas is None:
            return super().apply_gradients(grads_and_vars, global_step, name)
        if self._group_assignment:
            raise ValueError("group_assignment: all cores train together here.")
        replicas.crossed = True
        pairs = [
            (g if g is None else tf.convert_to_tensor(g), v) for g, v in grads_and_vars
        ]
        if type(self._opt).apply_gradients is v1.train.Optimizer.apply_gradients:
            return self._opt.apply_gradients(pairs, global_step, name)  # It adds up.
        here = [(g, v) for g, v in pairs if g is not None]
        context = tf.distribute.get_replica_context()
        summed = context.all_reduce("sum", [g for g, _ in here]) if here else []
        found = {id(v): g for g, (_, v) in zip(summed, here)}
        pairs = [(found.get(id(v)), v) for _, v in pairs]
        self._opt._distributed_apply = self._twice
        try:
            return self._opt.apply_gradients(pairs, global_step, name)
        finally:
            del self._opt._distributed_apply

    def _twice(self, *args, **kwargs):
        raise ValueError(
            f"{type(self._opt).__name__} has its own apply_gradients and calls "
            "TensorFlow's: on a TPU gradients would be added up twice. Change the "
            "gradients before, and give TensorFlow's optimizer to CrossShardOptimizer."
        )
