"""The step functions that a model_fn becomes, and what they give."""

import contextlib

import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .clusters import own_device
from .networks import begin_graph, count_anew

v1 = tf.compat.v1
_Keys = v1.GraphKeys


class Pruned:
    """A graph traced once, of which only what is asked for is run.

    Args:
      function: (element, ...) -> lists of tensors and operations, one for each element;
        and a list of what needs none.
      element_specs: of the elements, which come from the input's dataset.
    """

    def __init__(self, function, element_specs):
        specs = tf.nest.flatten(element_specs, expand_composites=True)
        traced = {}

        def build(*flat):
            packed = tf.nest.pack_sequence_as(
                element_specs, flat, expand_composites=True
            )
            begin_graph(v1.get_default_graph())
            traced["feeds"], traced["fetches"] = list(flat), function(*packed)

        signature = [tf.TensorSpec(s.shape, s.dtype) for s in specs]
        graph = v1.wrap_function(build, signature)
        tables = graph.graph.get_collection(_Keys.TABLE_INITIALIZERS)
        # One that was made outside has been filled there.
        graph.prune([], [table for table in tables if table is not None])()
        of_elements, of_nothing = traced["fetches"]
        one = len(specs) // len(element_specs)
        self._steps = [
            graph.prune(traced["feeds"][: i * one], sum(of_elements[:i], []))
            for i in range(1, len(element_specs) + 1)
        ]
        self.values = graph.prune([], of_nothing)

    def __call__(self, *elements):
        """Runs what is for so many elements; its tensors' values, in order."""
        if not elements:
            return []
        flat = tf.nest.flatten(elements, expand_composites=True)
        step = self._steps[len(elements) - 1]
        return [value for value in step(*flat) if value is not None]


class InTurn(training_session.SynchronousReplicas):
    """An evaluation: what TF1's strategies ran on several devices, one after the other.

    The replicas share their metrics' totals, and what they collect in the graph.
    """

    def __init__(self, count):
        super().__init__(own_device(), 0)
        self.count, self._now = count, 0

    def replica(self):
        return self._now

    @contextlib.contextmanager
    def building(self, i):
        """Replica `i` is built inside, with the names and variables of the first."""
        self._now = i
        if i == 0:
            yield
            return
        v1.get_default_graph().clear_collection(("__varscope",))  # Counts names.
        count_anew()
        scope = v1.variable_scope(v1.get_variable_scope(), reuse=True)
        with v1.name_scope(f"replica_{i}"), scope:
            yield


class EvaluationSession:
    """What hooks see of an evaluation."""

    def __init__(self, replicas):
        self.replicas = replicas
        self.stop = False

    def global_step(self):
        return self.replicas.global_step.numpy()

    def request_stop(self):
        self.stop = True

    def should_stop(self):
        return self.stop

    def restored(self):
        """A saver has restored variables; an evaluation begins after that."""


def in_scope_of(strategy, function):
    """The function, called in a strategy's scope."""

    def call(*args):
        with strategy.scope():
            return function(*args)

    return call


def operations_of(train_op):
    """A train_op as operations to run: it may be a tensor, an operation, or a group."""
    return [x for x in tf.nest.flatten(train_op) if x is not None]


def value_and_update(name, metric):
    """(value, update) of an entry of eval_metric_ops."""
    if hasattr(metric, "update_state"):
        raise TypeError(
            f"eval_metric_ops[{name!r}] is a Keras metric; give (value, update_op)."
        )
    if not isinstance(metric, (tuple, list)) or len(metric) != 2:
        raise TypeError(
            f"Values of eval_metric_ops must be (metric_value, update_op) tuples, "
            f"given: {metric} for key: {name}"
        )
    return metric


def chosen_predictions(predictions, keys):
    """The predictions of some keys.

    Raises:
      ValueError: there is none of them.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict.")
    chosen = {k: v for k, v in predictions.items() if k in keys}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {predictions}.")
    return chosen


def saved_step(model_dir):
    """The global step of the latest checkpoint, 0 without one."""
    path = tf.train.latest_checkpoint(model_dir)
    return int(tf.train.load_variable(path, "global_step")) if path else 0


@contextlib.contextmanager
def estimator_scaling(strategy):
    """TF1's Estimator divided a mean loss by the number of replicas; so does this."""
    enabled = getattr(strategy, "_scale_loss_for_estimator_enabled", None)
    if enabled is None or strategy.num_replicas_in_sync == 1:
        yield
        return
    with enabled():
        yield


def told_of_scaling(strategy, scaled):
    """Tells the graph whether a mean loss was divided by the number of replicas.

    TF1's optimizers tell it so themselves.
    """
    graph = v1.get_default_graph()
    graph._is_loss_scaled_by_optimizer = scaled and strategy.num_replicas_in_sync > 1


def reported_loss(losses, count):
    """What TF1's Estimator reported of replicas' losses: their mean, or their sum.

    The mean, where the optimizer has divided the loss by the number of replicas,
    because it was a mean.

    Args:
      losses: their sum.
      count: how many there are.
    """
    graph = v1.get_default_graph()
    summed = graph._last_loss_reduction == v1.losses.Reduction.SUM
    return (
        losses / count if graph._is_loss_scaled_by_optimizer and not summed else losses
    )


def loss_of_workers(strategy, loss):
    """The loss that all workers of a strategy report, in a replica of one of them."""
    context = tf.distribute.get_replica_context()
    losses = context.all_reduce(tf.distribute.ReduceOp.SUM, loss)
    return reported_loss(losses, strategy.num_replicas_in_sync)
