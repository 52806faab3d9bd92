"""Optimizers of tf.contrib.opt in graph mode: lazy Adam, and decoupled weight decay.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Each class is an optimizer of `tf.compat.v1.train`, for variables
of both kinds; its slots have the names that they have in TensorFlow 1's checkpoints.
"""

import tensorflow as tf

v1 = tf.compat.v1

# What tf.contrib.opt also had, and this module does not have.
_LOST = frozenset(
    {
        *("AGNCustomGetter", "AGNOptimizer", "AdaMaxOptimizer", "AdamGSOptimizer"),
        *("AddSignOptimizer", "DelayCompensatedGradientDescentOptimizer"),
        *("DropStaleGradientOptimizer", "ElasticAverageCustomGetter"),
        *("ElasticAverageOptimizer", "ExternalOptimizerInterface", "GGTOptimizer"),
        *("LARSOptimizer", "LazyAdamGSOptimizer", "ModelAverageCustomGetter"),
        *("ModelAverageOptimizer", "MovingAverageOptimizer"),
        *("MultitaskOptimizerWrapper", "NadamOptimizer", "PowerSignOptimizer"),
        *("RegAdagradOptimizer", "ScipyOptimizerInterface", "ShampooOptimizer"),
        *("VariableClippingOptimizer", "clip_gradients_by_global_norm"),
    }
)


def __getattr__(name):
    """Ends a look-up of what is missing here, also one with a default.

    TensorFlow 1 would have found it, and must not be mistaken for one that did not.
    """
    if name in _LOST:
        raise NotImplementedError(f"graph_optimizers has no tf.contrib.opt.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class LazyAdamOptimizer(v1.train.AdamOptimizer):
    """Adam that leaves rows without a gradient alone, and their moments too."""

    def _apply_sparse(self, grad, var):
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        rows, moments, squares = self._moved_rows(grad.values, m, v, grad.indices)
        locked = self._use_locking
        m_set = v1.scatter_update(m, grad.indices, moments, use_locking=locked)
        v_set = v1.scatter_update(v, grad.indices, squares, use_locking=locked)
        with tf.control_dependencies([m_set, v_set]):
            moved = v1.scatter_sub(var, grad.indices, rows, use_locking=locked)
        return tf.group(moved, m_set, v_set)

    def _resource_apply_sparse(self, grad, var, indices):
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        rows, moments, squares = self._moved_rows(grad, m, v, indices)
        update, subtract = (
            tf.raw_ops.ResourceScatterUpdate,
            tf.raw_ops.ResourceScatterSub,
        )
        return tf.group(
            update(resource=m.handle, indices=indices, updates=moments),
            update(resource=v.handle, indices=indices, updates=squares),
            subtract(resource=var.handle, indices=indices, updates=rows),
        )

    def _moved_rows(self, grad, m, v, indices):
        """By how much rows decrease, with their new moments."""
        powers = self._get_beta_accumulators()
        given = *powers, self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t
        power1, power2, rate, beta1, beta2, epsilon = (
            tf.cast(one, grad.dtype) for one in given
        )
        rate = rate * tf.sqrt(1 - power2) / (1 - power1)
        moments = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        squares = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        return rate * moments / (tf.sqrt(squares) + epsilon), moments, squares


class DecoupledWeightDecayExtension:
    """Takes a part of a variable away, before the optimizer beside it updates the rest.

    Of a table only the rows that were looked up decay.

    Args:
      weight_decay: the part, a number or a tensor.
      **kwargs: the optimizer's own arguments.
    """

    def __init__(self, weight_decay, **kwargs):
        self._weight_decay = weight_decay
        self._decayed = frozenset()
        super().__init__(**kwargs)

    def minimize(
        self,
        loss,
        global_step=None,
        var_list=None,
        gate_gradients=v1.train.Optimizer.GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        name=None,
        grad_loss=None,
        decay_var_list=None,
    ):
        """As of any optimizer: all variables decay.

        TensorFlow 1's forgot `decay_var_list` before the update, so it is not used here
        either. `apply_gradients` uses it.
        """
        return super().minimize(
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self, grads_and_vars, global_step=None, name=None, decay_var_list=None
    ):
        """As of any optimizer; the variables decay too.

        Args:
          decay_var_list: those that decay; all, if it is None or empty.
        """
        self._decayed = frozenset(variable.ref() for variable in decay_var_list or ())
        return super().apply_gradients(
            grads_and_vars, global_step=global_step, name=name
        )

    def _decays(self, var):
        return not self._decayed or var.ref() in self._decayed

    def _decay_whole(self, var):
        if not self._decays(var):
            return tf.no_op()
        return var.assign_sub(self._weight_decay * var, self._use_locking)

    def _apply_dense(self, grad, var):
        with tf.control_dependencies([self._decay_whole(var)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad, var):
        with tf.control_dependencies([self._decay_whole(var)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        done = tf.no_op()
        if self._decays(var):
            lost = -self._weight_decay * tf.gather(var, grad.indices)
            done = v1.scatter_add(var, grad.indices, lost, self._use_locking)
        with tf.control_dependencies([done]):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad, var, indices):
        done = tf.no_op()
        if self._decays(var):
            lost = -self._weight_decay * tf.gather(var, indices)
            add = tf.raw_ops.ResourceScatterAdd
            done = add(resource=var.handle, indices=indices, updates=lost)
        with tf.control_dependencies([done]):
            return super()._resource_apply_sparse(grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer):
    """A class that decays weights first, and then updates as `base_optimizer` does.

    Its first argument is `weight_decay`; the others are given by name.
    """

    class OptimizerWithDecoupledWeightDecay(
        DecoupledWeightDecayExtension, base_optimizer
    ):
        __doc__ = f"{base_optimizer.__name__} with decoupled weight decay."

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, v1.train.AdamOptimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        weight_decay,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        use_locking=False,
        name="AdamW",
    ):
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class MomentumWOptimizer(DecoupledWeightDecayExtension, v1.train.MomentumOptimizer):
    """Momentum with decoupled weight decay."""

    def __init__(
        self,
        weight_decay,
        learning_rate,
        momentum,
        use_locking=False,
        name="MomentumW",
        use_nesterov=False,
    ):
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )
