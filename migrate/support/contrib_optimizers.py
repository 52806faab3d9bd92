"""Optimizers of TensorFlow 1's tf.contrib.opt, for TensorFlow 2.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later and nothing else.

Each class is a tf.compat.v1.train optimizer: it is used in the same way
(`apply_gradients` eagerly, in a tf.function, or in `strategy.run`), and its variables
have the names that they have in TF1's checkpoints.

`learning_rate` and `weight_decay` are numbers, tensors, or functions without
arguments that are called at every update (tf.compat.v1.train's schedules are such
functions).

Nothing here orders the operations on a variable: TF2 runs them in the order in which
they are written.
"""

import tensorflow as tf


def _number(value, dtype):
    """A hyperparameter in a variable's dtype.

    A Python number is converted at once: by way of float32 a float64 variable would
    get another one.
    """
    value = value() if callable(value) else value
    if isinstance(value, (int, float)):
        return tf.constant(value, dtype)
    return tf.cast(value, dtype)


def _set_rows(variable, indices, rows):
    return tf.raw_ops.ResourceScatterUpdate(
        resource=variable.handle, indices=indices, updates=rows
    )


def _add_to_rows(variable, indices, rows):
    return tf.raw_ops.ResourceScatterAdd(
        resource=variable.handle, indices=indices, updates=rows
    )


def _subtract_from_rows(variable, indices, rows):
    return tf.raw_ops.ResourceScatterSub(
        resource=variable.handle, indices=indices, updates=rows
    )


# -- Adam's family ------------------------------------------------------------
#
# `t` counts updates from 1, `g` is the gradient. Each optimizer has one rule for
# dense gradients and one for looked-up rows (tf.IndexedSlices, whose repeated
# indices are summed before they come here). The rules round as TF1's did, so the
# order of the operations in them matters.


class LazyAdamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam that leaves the moments of rows without a gradient alone.

    Dense gradients: Adam. For the rows that were looked up:

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g^2
        row -= learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon)
    """

    def _resource_apply_sparse(self, grad, var, indices):
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        of = _AdamTensors(self, grad.dtype)
        m_rows = of.beta1 * tf.gather(m, indices) + (1 - of.beta1) * grad
        v_rows = of.beta2 * tf.gather(v, indices) + (1 - of.beta2) * tf.square(grad)
        step = of.corrected_rate * m_rows / (tf.sqrt(v_rows) + of.epsilon)
        return tf.group(
            _set_rows(m, indices, m_rows),
            _set_rows(v, indices, v_rows),
            _subtract_from_rows(var, indices, step),
        )


class NadamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat 2015), TF1's variant.

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g^2
        var -= learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)
               * (beta1 * m + (1 - beta1) * g) / (sqrt(v) + epsilon)

    Of a table the moments of all rows decay, but only rows that were looked up move.
    """

    def _resource_apply_dense(self, grad, var):
        of = _AdamTensors(self, grad.dtype)
        return tf.raw_ops.ResourceApplyAdam(
            var=var.handle,
            m=self.get_slot(var, "m").handle,
            v=self.get_slot(var, "v").handle,
            beta1_power=of.beta1_power,
            beta2_power=of.beta2_power,
            lr=of.rate,
            beta1=of.beta1,
            beta2=of.beta2,
            epsilon=of.epsilon,
            grad=grad,
            use_locking=self._use_locking,
            use_nesterov=True,
        )

    def _resource_apply_sparse(self, grad, var, indices):
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        of = _AdamTensors(self, grad.dtype)
        m_part = grad * (1 - of.beta1)
        m.assign(m * of.beta1)
        _add_to_rows(m, indices, m_part)
        m_bar = m_part + of.beta1 * tf.gather(m, indices)
        v_part = (grad * grad) * (1 - of.beta2)
        v.assign(v * of.beta2)
        _add_to_rows(v, indices, v_part)
        v_rows = tf.gather(v, indices)
        step = -of.corrected_rate * m_bar / (tf.sqrt(v_rows) + of.epsilon)
        return _add_to_rows(var, indices, step)


class AdaMaxOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam under the infinity norm (Kingma & Ba 2014, section 7.1).

        m = beta1 * m + (1 - beta1) * g
        v = max(beta2 * v, |g|)
        var -= learning_rate / (1 - beta1^t) * m / (v + epsilon)

    Of a table only rows that were looked up have their moments and values changed.
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        use_locking=False,
        name="AdaMax",
    ):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self):
        # Adam keeps a second power; a checkpoint of AdaMax has no such variable.
        with tf.init_scope():
            graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
            return self._get_non_slot_variable("beta1_power", graph=graph), None

    def _create_slots(self, var_list):
        self._create_non_slot_variable(
            initial_value=self._beta1,
            name="beta1_power",
            colocate_with=min(var_list, key=lambda variable: variable.name),
        )
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _resource_apply_dense(self, grad, var):
        of = _AdamTensors(self, grad.dtype)
        return tf.raw_ops.ResourceApplyAdaMax(
            var=var.handle,
            m=self.get_slot(var, "m").handle,
            v=self.get_slot(var, "v").handle,
            beta1_power=of.beta1_power,
            lr=of.rate,
            beta1=of.beta1,
            beta2=of.beta2,
            epsilon=of.epsilon,
            grad=grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse(self, grad, var, indices):
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        of = _AdamTensors(self, grad.dtype)
        m_rows = tf.gather(m, indices) * of.beta1 + grad * (1 - of.beta1)
        v_rows = tf.maximum(tf.gather(v, indices) * of.beta2, tf.abs(grad))
        step = -of.rate / (1 - of.beta1_power) * (m_rows / (v_rows + of.epsilon))
        return tf.group(
            _set_rows(m, indices, m_rows),
            _set_rows(v, indices, v_rows),
            _add_to_rows(var, indices, step),
        )

    def _finish(self, update_ops, name_scope):
        power, _ = self._get_beta_accumulators()
        update = power.assign(power * self._beta1_t)
        return tf.group(*update_ops, update, name=name_scope)


class _AdamTensors:
    """Adam's hyperparameters of this update, in a variable's dtype."""

    def __init__(self, optimizer, dtype):
        # AdamOptimizer._prepare has made these tensors.
        self.rate = tf.cast(optimizer._lr_t, dtype)
        self.beta1 = tf.cast(optimizer._beta1_t, dtype)
        self.beta2 = tf.cast(optimizer._beta2_t, dtype)
        self.epsilon = tf.cast(optimizer._epsilon_t, dtype)
        beta1_power, beta2_power = optimizer._get_beta_accumulators()
        self.beta1_power = tf.cast(beta1_power, dtype)
        self.beta2_power = None if beta2_power is None else tf.cast(beta2_power, dtype)

    @property
    def corrected_rate(self):
        """The learning rate, with Adam's correction for moments that start at zero."""
        return self.rate * tf.sqrt(1 - self.beta2_power) / (1 - self.beta1_power)


# -- decoupled weight decay ---------------------------------------------------


class DecoupledWeightDecayExtension:
    """Decays variables before the optimizer that it is mixed into updates them.

    Loshchilov & Hutter, "Decoupled Weight Decay Regularization":

        var -= weight_decay * var
        ...then the optimizer's own update.

    The decay is not multiplied by the learning rate. Of a table only rows that were
    looked up decay.

    Args:
      weight_decay: the fraction of a variable that every update takes away.
      **kwargs: the optimizer's own arguments.
    """

    def __init__(self, weight_decay, **kwargs):
        self._weight_decay = weight_decay
        self._decayed = None
        super().__init__(**kwargs)

    def minimize(self, loss, *args, decay_var_list=None, **kwargs):
        """As of any optimizer: all variables decay.

        TF1's `minimize` forgets `decay_var_list` before it updates, so this one does
        not use it either. Give it to `apply_gradients`.
        """
        return super().minimize(loss, *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars, global_step=None, name=None, decay_var_list=None
    ):
        """As of any optimizer, and decays the variables.

        Args:
          decay_var_list: the variables that decay; None or an empty list for all that
            have a gradient.
        """
        self._decayed = {
            part.ref() for variable in decay_var_list or () for part in _parts(variable)
        }
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _decays(self, var):
        return not self._decayed or any(p.ref() in self._decayed for p in _parts(var))

    def _resource_apply_dense(self, grad, var):
        if self._decays(var):
            var.assign_sub(_number(self._weight_decay, grad.dtype) * var)
        return super()._resource_apply_dense(grad, var)

    def _resource_apply_sparse(self, grad, var, indices):
        if self._decays(var):
            lost = _number(self._weight_decay, grad.dtype) * tf.gather(var, indices)
            _subtract_from_rows(var, indices, lost)
        return super()._resource_apply_sparse(grad, var, indices)


def _parts(variable):
    """A variable, and what a strategy made of it or it is made of for an update."""
    container = getattr(variable, "_distributed_container", lambda: None)()
    found = [variable, *getattr(variable, "values", ())]
    return found if container is None else [*found, container]


def extend_with_decoupled_weight_decay(base_optimizer):
    """A class that decays weights and updates them as `base_optimizer` does.

    Args:
      base_optimizer: a class of tf.compat.v1.train optimizers.

    Returns:
      The class. Its first argument is `weight_decay`, the others are keyword arguments
      of `base_optimizer`.
    """

    class OptimizerWithDecoupledWeightDecay(
        DecoupledWeightDecayExtension, base_optimizer
    ):
        __doc__ = f"{base_optimizer.__name__} with decoupled weight decay."

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.compat.v1.train.AdamOptimizer):
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


class MomentumWOptimizer(
    DecoupledWeightDecayExtension, tf.compat.v1.train.MomentumOptimizer
):
    """Stochastic gradient descent with momentum and decoupled weight decay."""

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


# -- layer-wise rates ---------------------------------------------------------


class LARSOptimizer(tf.compat.v1.train.Optimizer):
    """Momentum with a learning rate per variable (You, Gitman & Ginsburg 2017).

        trust = eeta * |var| / (|g| + weight_decay * |var| + epsilon)
        accumulator = momentum * accumulator
                      + learning_rate * trust * (g + weight_decay * var)
        var -= accumulator

    with Euclidean norms, and trust = 1 where one of them is 0. Variables in
    `skip_list` have trust 1 and no decay. Tables, whose rows are looked up, are
    updated by plain momentum: accumulator = momentum * accumulator + g,
    var -= learning_rate * accumulator.

    Args:
      skip_list: parts of variables' names.

    Raises:
      ValueError: `momentum` or `weight_decay` is negative.
    """

    def __init__(
        self,
        learning_rate,
        momentum=0.9,
        weight_decay=0.0001,
        eeta=0.001,
        epsilon=0.0,
        name="LARSOptimizer",
        skip_list=None,
        use_nesterov=False,
    ):
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = tuple(skip_list or ())
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def compute_lr(self, grad, var):
        """The variable's learning rate, and its gradient with the decay in it."""
        rate = _number(self._learning_rate, grad.dtype)
        if any(part in var.name for part in self._skip_list):
            return rate, grad
        var_norm, grad_norm = tf.norm(var), tf.norm(grad)
        trust = tf.where(
            (var_norm > 0) & (grad_norm > 0),
            self._eeta
            * var_norm
            / (grad_norm + self._weight_decay * var_norm + self._epsilon),
            1.0,
        )
        return rate * trust, grad + self._weight_decay * var

    def _resource_apply_dense(self, grad, var):
        rate, grad = self.compute_lr(grad, var)
        return tf.raw_ops.ResourceApplyMomentum(
            var=var.handle,
            accum=self.get_slot(var, "momentum").handle,
            lr=tf.constant(1, grad.dtype),
            grad=grad * rate,
            momentum=tf.constant(self._momentum, grad.dtype),
            use_nesterov=self._use_nesterov,
        )

    def _resource_apply_sparse(self, grad, var, indices):
        rate = self._learning_rate
        rate = tf.convert_to_tensor(rate() if callable(rate) else rate)
        return tf.raw_ops.ResourceSparseApplyMomentum(
            var=var.handle,
            accum=self.get_slot(var, "momentum").handle,
            # By way of float32, as in TF1.
            lr=tf.cast(rate, grad.dtype),
            momentum=tf.cast(tf.convert_to_tensor(self._momentum), grad.dtype),
            grad=grad,
            indices=indices,
            use_nesterov=self._use_nesterov,
        )
