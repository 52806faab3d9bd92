"""TF1's tf.metrics for step functions: totals over many batches, and their quotients.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later.

    with strategy.scope(), replicas.recording():
        accuracy = Metric(replicas, tf.compat.v1.metrics.accuracy)

        @replicas.step_function(...)
        def count(x, y):
            ...
            return accuracy.update(labels=y, predictions=predicted)

        @replicas.step_function()
        def compute_accuracy():
            return accuracy.value()

    initialize(replicas)  # The next evaluation begins at nothing.

The totals are local variables with TF1's names (`accuracy/total`): no checkpoint has them.
"""

import re
import weakref

import tensorflow as tf

# Parameters of tf.compat.v1.metrics that are integers in every batch; others are floats.
_INTEGERS = {
    **dict.fromkeys(("precision_at_k", "recall_at_k"), ("labels",)),
    **dict.fromkeys(("average_precision_at_k", "sparse_precision_at_k"), ("labels",)),
    "sparse_average_precision_at_k": ("labels",),
    **dict.fromkeys(
        ("precision_at_top_k", "recall_at_top_k"), ("labels", "predictions_idx")
    ),
}
_VALUES = {"mean": ("values",), "percentage_below": ("values",)}
_TOP = ("labels", "predictions_idx")
_VALUES.update(precision_at_top_k=_TOP, recall_at_top_k=_TOP)

_made = weakref.WeakKeyDictionary()  # By replicas: their metrics, in order.


class Metric:
    """One call of a function of tf.metrics.

    Args:
      replicas: the program's.
      function: of tf.compat.v1.metrics, but for `mean_tensor`, whose total has the shape
        of what it is given.
      **arguments: those of the function that are no tensors: `name`, `num_classes`, `k`.
    """

    def __init__(self, replicas, function, **arguments):
        self._function, self._arguments = function, arguments
        others = _made.setdefault(replicas, [])
        with tf.Graph().as_default():  # To see what variables the function makes.
            made = []

            def see(next_creator, **kwargs):
                made.append(next_creator(**kwargs))
                return made[-1]

            with tf.variable_creator_scope(see):
                self._of(self._any_batch())
        default = made[0].op.name.partition("/")[0]
        taken = {m.scope for m in others}
        scope = "/".join(filter(None, [tf.get_current_name_scope(), default]))
        self.scope, number = scope, 0
        while self.scope in taken:
            number += 1
            self.scope = f"{scope}_{number}"
        local = [tf.compat.v1.GraphKeys.LOCAL_VARIABLES]
        with tf.name_scope(""):
            self.variables = [
                tf.compat.v1.Variable(
                    tf.zeros(variable.shape, variable.dtype.base_dtype),
                    trainable=False,
                    collections=local,
                    use_resource=True,
                    name=f"{self.scope}/{variable.op.name.partition('/')[2]}",
                )
                for variable in made
            ]
        # The value alone: what is left of the function without a batch.
        whole = tf.compat.v1.wrap_function(lambda: self._with(self._any_batch()), [])
        self._value = whole.prune([], whole.structured_outputs[0])
        others.append(self)

    def _any_batch(self):
        """Tensors of any batch."""
        name = self._function.__name__
        parameters = _VALUES.get(name, ("labels", "predictions"))
        if name == "mean_relative_error":
            parameters += ("normalizer",)
        rank = max(2, int(self._arguments.get("dim", 0)) + 1)
        integers = _INTEGERS.get(name, ())
        return {
            p: tf.compat.v1.placeholder(
                tf.int64 if p in integers else tf.float32, [None] * rank
            )
            for p in parameters
        }

    def _of(self, batch):
        """(value, update) of the function, which makes its variables."""
        return self._function(**batch, **self._arguments)

    def _with(self, batch):
        """The same with the metric's own variables."""
        rest = iter(self.variables)
        with tf.variable_creator_scope(lambda _, **kwargs: next(rest)):
            return self._of(batch)

    def update(self, **batch):
        """In a step function: counts a batch, and gives the value with it.

        Args:
          **batch: the function's tensors: labels, predictions, weights, values.
        """
        return self._with(batch)[1]

    def value(self):
        """In a step function: the value of the batches counted so far; 0 of none."""
        return self._value()


def variables(replicas, scope=None):
    """The metrics' variables made so far whose names match a regular expression."""
    found = [v for metric in _made.get(replicas, ()) for v in metric.variables]
    return [v for v in found if scope is None or re.match(scope, v.name)]


def initialize(totals):
    """Sets a metric's variables, from a list of them, back to zero."""
    for total in totals:
        total.assign(tf.zeros_like(total))
