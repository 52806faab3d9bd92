"""Strategies that a TF1 program gave to RunConfig, and training on several devices of one process.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and `training_session` beside it.

As in TF1 every replica takes a batch of its own from the input: with two devices, two
batches make one step. A last group that is not complete is left out.
"""

import functools

import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from . import training_session

v1 = tf.compat.v1


# -- strategies ---------------------------------------------------------------


def MirroredStrategy(devices=None, num_gpus=None, num_gpus_per_worker=None, **_):
    """tf.distribute.MirroredStrategy, and that of tf.contrib with `num_gpus`.

    Devices have to exist for it. Where there are fewer GPUs, or more CPUs are named
    than there are, the replicas are parts of the CPU; these are made once, before
    TensorFlow is in use.

    Args:
      devices: their names; by default all GPUs, or the CPU.
      num_gpus: how many GPUs, instead of their names. By place this is how gradients
        are added up in tf.distribute, which TensorFlow chooses here.
      num_gpus_per_worker: the same number.

    Raises:
      ValueError: there are several of these.
    """
    if not hasattr(num_gpus, "__index__"):
        num_gpus = None
    given = [v for v in (devices, num_gpus, num_gpus_per_worker) if v is not None]
    if len(given) > 1:
        raise ValueError(
            "Must only specify one of `devices`, `num_gpus` and `num_gpus_per_worker`."
        )
    if devices is None and given:
        devices = [f"/gpu:{i}" for i in range(int(given[0]))]
    return _mirrored(tuple(_existing(list(devices))) if devices else None)


@functools.cache
def _mirrored(devices):
    """One for all that ask: TensorFlow's collectives do not tell two in a process apart."""
    return tf.distribute.MirroredStrategy(devices and list(devices))


def OneDeviceStrategy(device, **_):
    """tf.distribute.OneDeviceStrategy."""
    return tf.distribute.OneDeviceStrategy(device)


class AllReduceCrossDeviceOps:
    """tf.contrib.distribute.AllReduceCrossDeviceOps: how devices add up their gradients.

    What it asks for has no effect: TensorFlow chooses the way, by the devices.

    Args:
      all_reduce_alg: "nccl" or "hierarchical_copy".
      num_packs: how many parts the gradients are sent in.
    """

    def __init__(self, all_reduce_alg="nccl", num_packs=1, **_):
        self.all_reduce_alg, self.num_packs = all_reduce_alg, num_packs


def _existing(devices):
    """The devices, or as many parts of the CPU where one of them is not there."""
    count = len(devices)
    if all(
        d.device_type == "GPU"
        for d in map(tf.DeviceSpec.from_string, map(_canonical, devices))
    ):
        if len(tf.config.list_physical_devices("GPU")) >= count:
            return devices
    cpu = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < count:
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * count
        )
    return [f"/cpu:{i}" for i in range(count)]


def _canonical(device):
    return str(device).upper().replace("/DEVICE:", "/").replace("/", "/device:", 1)


class ByCluster:
    """A strategy that took its cluster from TF_CONFIG: `estimator_loop` makes it.

    Attributes:
      synchronous: whether workers make every step together, also where there are
        parameter servers.
      communication: how they add up their gradients; None leaves it to TensorFlow.
    """

    synchronous = False
    communication = None

    def __init__(self, num_gpus_per_worker=0, **_):
        if num_gpus_per_worker is not None and num_gpus_per_worker > 1:
            raise ValueError(
                f"num_gpus_per_worker={num_gpus_per_worker}: each process trains one "
                "replica here. Start a worker for every GPU (CUDA_VISIBLE_DEVICES)."
            )


class ParameterServerStrategy(ByCluster):
    """tf.contrib.distribute.ParameterServerStrategy: workers take steps on their own.

    tf.distribute.experimental's of TF1 as well. (TF2's class of that name has a
    coordinator.)

    Args:
      num_gpus_per_worker: at most one. By place this is `cluster_resolver` in
        tf.distribute.experimental.
      cluster_resolver: that of TF_CONFIG.

    Raises:
      ValueError: there are more GPUs, or the cluster is another one.
    """

    def __init__(self, num_gpus_per_worker=0, cluster_resolver=None, **_):
        resolvers = tf.distribute.cluster_resolver
        if isinstance(num_gpus_per_worker, resolvers.ClusterResolver):
            num_gpus_per_worker, cluster_resolver = 0, num_gpus_per_worker
        super().__init__(num_gpus_per_worker)
        if not isinstance(
            cluster_resolver, (type(None), resolvers.TFConfigClusterResolver)
        ):
            raise ValueError(
                "The cluster is that of TF_CONFIG: set it, and leave out "
                f"cluster_resolver={cluster_resolver!r}."
            )


class CollectiveAllReduceStrategy(ByCluster):
    """tf.contrib.distribute.CollectiveAllReduceStrategy: workers keep pace.

    Args:
      communication: a tf.distribute.experimental.CommunicationImplementation, which
        TF1 called CollectiveCommunication.
    """

    synchronous = True

    def __init__(self, num_gpus_per_worker=0, communication=None, **_):
        super().__init__(num_gpus_per_worker)
        self.communication = communication


class MultiWorkerMirroredStrategy(CollectiveAllReduceStrategy):
    """tf.distribute.experimental.MultiWorkerMirroredStrategy of TF1."""

    def __init__(self, communication=None, **_):
        super().__init__(communication=communication)


class DistributeConfig:
    """tf.contrib.distribute.DistributeConfig: the strategies of a RunConfig.

    Raises:
      ValueError: there is a `remote_cluster`, whose tasks this process would command.
    """

    def __init__(
        self, train_distribute=None, eval_distribute=None, remote_cluster=None
    ):
        if remote_cluster:
            raise ValueError(
                "remote_cluster: start the program in every task, with its TF_CONFIG."
            )
        self.train_distribute = train_distribute
        self.eval_distribute = eval_distribute


# -- replicas -----------------------------------------------------------------


class LocalReplicas(training_session.SynchronousReplicas):
    """One process that trains on several devices at once.

    Args:
      strategy: a tf.distribute.MirroredStrategy.
      count: how many replicas it has.
    """

    def __init__(self, strategy, count):
        super().__init__(strategy, 0)
        self.count = count

    def replica(self):
        context = tf.distribute.get_replica_context()
        if context is None:
            return None
        return int(tf.get_static_value(context.replica_id_in_sync_group))

    def step_function(self, *specs):
        """As everywhere, but the step takes the arguments of each replica in turn."""

        def decorate(function):
            return _LocalStep(self, function, specs)

        return decorate

    def restored(self, is_chief, restore):
        """What is restored is every replica's."""
        restore()

    def ended(self):
        """There is nobody to wait for."""


class _LocalStep(training_session.StepFunction):
    """A step of all replicas; its results are the first one's, its loss that of all."""

    def __init__(self, replicas, function, specs):
        self.specs = specs * replicas.count
        self.__name__ = function.__name__

        def distributed(*args):
            found = {}

            def one_replica():
                i = replicas.replica()
                own = args[i * len(specs) : (i + 1) * len(specs)]
                found[i] = replicas._trace(function, own)

            replicas.strategy.run(one_replica)
            results = self._structure = _combined([found[i] for i in sorted(found)])
            return [x for x in tf.nest.flatten(results) if x is not None]

        # As in TF1, Python's control flow runs when the graph is built.
        self.function = tf.function(
            distributed, input_signature=self.specs, autograph=False
        )
        self.function.get_concrete_function()


def _combined(results):
    """The first replica's results, with the loss of all as TF1's Estimator reported it.

    That is the mean where the optimizer has divided the loss by the number of replicas,
    because it was a mean; otherwise the sum.
    """
    graph = v1.get_default_graph()
    loss = tf.add_n([result["fetches"] for result in results])
    summed = graph._last_loss_reduction == v1.losses.Reduction.SUM
    if graph._is_loss_scaled_by_optimizer and not summed:
        loss = loss / len(results)
    first = results[0]
    summaries = [first["summaries"]] if "summaries" in first else []
    written = v1.get_collection(v1.GraphKeys.SUMMARIES)
    if not any(summary.op.name == "loss" for summary in written):
        summaries.append(v1.summary.scalar("loss", loss))
    return {
        **first,
        "fetches": loss,
        "observed": {**first["observed"], "loss": loss},
        "summaries": tf.raw_ops.MergeSummary(inputs=summaries),
    }
