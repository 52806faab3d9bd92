"""tf.train.SyncReplicasOptimizer in a model_fn, for workers that make every step together.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and `estimator_loop` and `training_session` beside it.

Where a model_fn uses it, the workers of TF_CONFIG train under a
MultiWorkerMirroredStrategy, and parameter servers have nothing to do. To see whether
it does, model_fn and input_fn are called once more, in a graph that nothing runs.
"""

import tensorflow as tf

try:
    import estimator_loop
    import training_session
except ImportError:  # In a package.
    from . import estimator_loop, training_session

v1 = tf.compat.v1


class SyncReplicasOptimizer(v1.train.Optimizer):
    """Applies the mean of all workers' gradients; parameters are TF1's.

    Of a sparse gradient each row is the mean over the workers that have it.

    Raises:
      ValueError: another number of gradients is to be aggregated than there are workers.
    """

    made = 0

    def __init__(
        self,
        opt,
        replicas_to_aggregate,
        total_num_replicas=None,
        variable_averages=None,
        variables_to_average=None,
        use_locking=False,
        name="sync_replicas",
    ):
        super().__init__(use_locking, name)
        SyncReplicasOptimizer.made += 1
        self._optimizer = opt
        self._counts = replicas_to_aggregate, total_num_replicas
        self._averages = variable_averages
        self._averaged = variables_to_average

    def compute_gradients(self, *args, **kwargs):
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Updates the variables; returns the operation that does.

        Raises:
          ValueError: there is no global step.
        """
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        gradients, variables = zip(*grads_and_vars)
        if not tf.inside_function():
            return tf.no_op()  # The graph that is only looked at.
        replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
        replicas.check_aggregation(*self._counts)
        gradients = replicas.average(gradients)
        update = self._optimizer.apply_gradients(
            zip(gradients, variables), global_step=global_step, name=name
        )
        if self._averages is None:
            return update
        with tf.control_dependencies([update]):
            return self._averages.apply(self._averaged)

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """A hook that has nothing to do: no tokens are handed out."""
        return estimator_loop.SessionRunHook()

    def get_slot(self, *args, **kwargs):
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self):
        return self._optimizer.variables()


def _asked_for(estimator, input_fn):
    """Whether an Estimator's training graph has a SyncReplicasOptimizer."""
    made = SyncReplicasOptimizer.made
    with tf.Graph().as_default() as graph:
        v1.train.create_global_step(graph)
        spec = estimator._input(input_fn, estimator_loop.ModeKeys.TRAIN).element_spec
        batch = tf.nest.map_structure(
            lambda s: v1.placeholder(s.dtype, s.shape), spec, expand_composites=True
        )
        features, labels = estimator_loop.inputs.features_and_labels(batch)
        estimator._call_model_fn(features, labels, estimator_loop.ModeKeys.TRAIN)
    return SyncReplicasOptimizer.made > made


estimator_loop.Estimator.asks_for_synchrony = staticmethod(_asked_for)
