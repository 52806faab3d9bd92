"""Towers on the tasks of a cluster, for one client that builds and runs all of them.

Written beside your program by tf1to2, together with plain_session; it is yours to read
and change. It needs TensorFlow 2.15 or later.

    tf.config.experimental_connect_to_cluster(cluster)
    strategy = strategy(["/job:worker/task:%d" % i for i in range(num_workers)])
    replicas = Replicas(strategy)
    with strategy.scope(), replicas.recording():
        ...variables, optimizer, step functions...

A tower is a replica: it reads the variables where they are, computes on its task, and its
gradients are added up and applied where the variables are. The tasks only serve, as they
did: tf.distribute.Server(...).join(). (A MirroredStrategy, which copies variables to every
device, has devices of one process only.)
"""

import contextlib
import itertools

import tensorflow as tf

try:
    import plain_session
except ImportError:  # Run as a module of its package.
    from . import plain_session


def strategy(devices):
    """A strategy of one replica per tower.

    Args:
      devices: the towers' devices, "/job:worker/task:0" or "/job:worker/task:0/gpu:1". Of
        a task without such a GPU it is the CPU, as softly placed operations were.
    """
    gpus = {device.name for device in tf.config.list_logical_devices("GPU")}
    return tf.distribute.experimental.CentralStorageStrategy(
        [_existing(device, gpus) for device in devices],
        # Of the task that a variable is made on: see Replicas.recording.
        parameter_device="/device:CPU:0",
    )


def _existing(device, gpus):
    """A whole device's name: a task's GPU where it has one and no CPU is asked for."""
    task = tf.DeviceSpec.from_string(device).replace(replica=0)
    kind, number = task.device_type or "GPU", task.device_index or 0
    whole = task.replace(device_type=kind, device_index=number).to_string()
    if kind == "GPU" and whole not in gpus:
        return task.replace(device_type="CPU", device_index=0).to_string()
    return whole


class Replicas(plain_session.LocalReplicas):
    """One client's towers.

    Args:
      strategy: what `strategy` gives.
      dealt_to: the cluster whose parameter servers get, in turn, the variables that
        no block of `tf.device` in `recording()` puts somewhere, but for counters. These,
        or without it all such variables, are where blocks around `recording()` say, or
        on the first tower's task.
    """

    def __init__(self, strategy, dealt_to=None):
        super().__init__(strategy)
        self._first = tf.DeviceSpec.from_string(strategy.extended.worker_devices[0])
        self._home = self._first.replace(device_type="CPU", device_index=0)
        self._servers = None
        if dealt_to is not None and "ps" in tf.train.ClusterSpec(dealt_to).jobs:
            count = tf.train.ClusterSpec(dealt_to).num_tasks("ps")
            self._servers = itertools.cycle(f"/job:ps/task:{i}" for i in range(count))

    @contextlib.contextmanager
    def recording(self, drawn=True):
        """As of LocalReplicas; variables are on tasks of the cluster."""
        around = _device()

        def home(counter):
            """Where a variable is that no block in this one puts somewhere."""
            if self._servers is not None and not counter:
                return next(self._servers)
            return self._home if around.job == "localhost" else around

        def create(next_creator, **kwargs):
            # Slots are where their variables are.
            if kwargs.get("colocate_with") is not None:
                return next_creator(**kwargs)
            # Layers make theirs in the first tower, which is itself such a block.
            nowhere = (
                around if tf.distribute.in_cross_replica_context() else self._first
            )
            if _device() != nowhere or (nowhere != around and self._servers is None):
                return next_creator(**kwargs)
            with tf.device(home(_is_counter(**kwargs))):
                return next_creator(**kwargs)

        with super().recording(drawn), tf.variable_creator_scope(create):
            yield


def _is_counter(trainable=None, dtype=None, initial_value=None, **others):
    """Whether a variable counts steps: such were made before the towers."""
    whole = isinstance(initial_value, int) if dtype is None else None
    return trainable is False and (whole or tf.as_dtype(dtype or "float32").is_integer)


def _device():
    """Where what is made here is, by the blocks of `tf.device` around it."""
    with tf.init_scope():
        return tf.DeviceSpec.from_string(tf.identity(0).device)
