"""TF1's tf.train.ExponentialMovingAverage, for step functions.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later.

    with strategy.scope(), replicas.recording():
        averages = ExponentialMovingAverage(replicas, 0.999, global_step)

        @replicas.step_function(...)
        def train_step(x):
            ...
            averages.apply(replicas.trainable_variables)

The averages are variables with TF1's names (`net/w/ExponentialMovingAverage`), so that
they are in checkpoints where TF1 had them.
"""

import hashlib

import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session


class ExponentialMovingAverage:
    """average -= (average - value) * (1 - decay), after every `apply`.

    Args:
      replicas: the program's.
      decay: a number below 1.
      num_updates: how many updates were made, a variable or number: while it is small the
        decay is no more than (1 + num_updates) / (10 + num_updates).
      zero_debias: must be False, TF1's default.
      name: the last part of the averages' names.
      scope: the first part, if any: the variable scope in which TF1's `apply` was called.

    Raises:
      ValueError: `zero_debias` is asked for.
    """

    def __init__(
        self,
        replicas,
        decay,
        num_updates=None,
        zero_debias=False,
        name="ExponentialMovingAverage",
        scope="",
    ):
        if zero_debias:
            raise ValueError("zero_debias=True is not carried over")
        self._replicas = replicas
        self._decay = decay
        self._num_updates = num_updates
        self.name = name
        self._prefix = scope and scope + "/"
        self._averages = {}  # By what is averaged: see `_key`.

    def apply(self, var_list=None):
        """Moves the averages of variables, or of the step's tensors, towards their values.

        Args:
          var_list: default: the trainable variables that there are.

        Raises:
          ValueError: tensors, where each replica has another value of them.
        """
        values = self._replicas.trainable_variables if var_list is None else var_list
        values = [
            part
            for value in values
            for part in training_session.variables.shards_of(value)
        ]
        context = tf.distribute.get_replica_context()
        if any(tf.is_tensor(v) and not _is_variable(v) for v in values):
            if context is not None and context.num_replicas_in_sync > 1:
                raise ValueError("moving averages of tensors that each replica has")
        if context is None:
            return self._update(tf.distribute.get_strategy(), values)
        return context.merge_call(lambda strategy: self._update(strategy, values))

    def _update(self, strategy, values):
        decay = tf.convert_to_tensor(self._decay, tf.float32)
        if self._num_updates is not None:
            updates = tf.cast(self._num_updates, tf.float32)
            decay = tf.minimum(decay, (1.0 + updates) / (10.0 + updates))
        moved = []
        for value in values:
            average = self._made(value)
            rate = tf.cast(1.0 - decay, average.dtype)

            def move(average, value, rate):
                return average.assign_sub((average - value) * rate, read_value=False)

            moved.append(
                strategy.extended.update(average, move, (value, rate), group=True)
            )
        return tf.group(*moved)

    def average(self, var):
        """The average of a variable, or of a tensor that was given to `apply` before."""
        return self._made(var)

    def average_name(self, var):
        """The name of a variable's average in checkpoints."""
        return f"{self._prefix}{_name(var)}/{self.name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """Name in a checkpoint -> variable: the averages' for what has been averaged.

        Args:
          moving_avg_variables: what has been; default: the trainable variables.
        """
        averaged = moving_avg_variables
        if averaged is None:
            averaged = self._replicas.trainable_variables
        averaged = [
            p for v in averaged for p in training_session.variables.shards_of(v)
        ]
        every = self._replicas.entries()
        name_of = {id(part): name for name, parts in every.items() for part in parts}
        found = {}
        for variable in averaged:
            found[f"{self._prefix}{name_of[id(variable)]}/{self.name}"] = variable
        known = {id(v) for v in averaged}
        for name, parts in every.items():
            if id(parts[0]) not in known and name not in found:
                found[name] = parts if len(parts) > 1 else parts[0]
        return found

    def _made(self, value):
        """The variable that holds the average of a value; made where there is none yet."""
        key, name = _key(value), _name(value)
        if key not in self._averages:
            with tf.init_scope(), self._replicas.strategy.scope():
                # A variable's average begins at its initial value, a tensor's at 0.
                initial = (
                    value.numpy()
                    if _is_variable(value)
                    else tf.zeros(value.shape, value.dtype)
                )
                with tf.name_scope(""):
                    self._averages[key] = tf.Variable(
                        initial,
                        trainable=False,
                        dtype=value.dtype,
                        name=f"{self._prefix}{name}/{self.name}",
                    )
        return self._averages[key]


def _is_variable(value):
    return isinstance(value, tf.Variable)


def _key(value):
    """What tells a variable, or a tensor, from others in all step functions.

    A tensor of a step is a new one in every function that computes it. The same is
    computed where the operations, and what they start from, are the same.
    """
    if _is_variable(value):
        return _name(value)
    graph, known = value.graph, {}
    for external, internal in graph.captures:
        known[internal.op.name] = f"captured {id(external)}"
    work = [value.op]
    while work:
        op = work[-1]
        waiting = [i.op for i in op.inputs if i.op.name not in known]
        if op.name in known or not waiting:
            work.pop()
            known.setdefault(op.name, _digest(op, known))
        else:
            work.extend(waiting)
    return known[value.op.name], value.value_index


def _digest(op, known):
    """Of an operation's type, attributes and inputs; of a parameter's name."""
    inputs = [(known[i.op.name], i.value_index) for i in op.inputs]
    attributes = {
        name: op.node_def.attr[name].SerializeToString(deterministic=True)
        for name in sorted(op.node_def.attr)
        if not name.startswith("_")
    }
    own = op.name if op.type == "Placeholder" else ""
    content = repr((op.type, own, inputs, sorted(attributes.items())))
    return hashlib.sha256(content.encode()).hexdigest()


def _name(value):
    """A variable's name in checkpoints, or the name of the operation that gives a tensor."""
    if _is_variable(value):
        return training_session.variables.name_of(value)
    return value.op.name
