"""Several optimizers in one step, as wide and deep parts have them."""

import functools

import tensorflow as tf

v1 = tf.compat.v1


def _with_others(apply):
    """`_distributed_apply` that does not look at the updates before it.

    It looks for itself among them by `==`, which variables and tensors do not bear since
    they compare by value: TF1's compared by identity.
    """

    @functools.wraps(apply)
    def applied(self, *args, **kwargs):
        updates = v1.get_collection_ref(v1.GraphKeys.TRAIN_OP)
        before = updates[:]
        updates.clear()
        try:
            return apply(self, *args, **kwargs)
        finally:
            updates[:0] = before

    return applied


def allow():
    """Lets the optimizers of tf.compat.v1 update in one step, under any strategy."""
    optimizer = v1.train.Optimizer
    optimizer._distributed_apply = _with_others(optimizer._distributed_apply)
