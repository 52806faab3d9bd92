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
import typing

import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session


_OF_CLUSTERS = (
    tf.distribute.ParameterServerStrategy,
    tf.distribute.MultiWorkerMirroredStrategy,
)


class _Before(typing.NamedTuple):
    """Values to which averages move.

    Attributes:
      variables: whose averages.
      values: a tensor for each.
      decay: how much of an average stays.
    """

    variables: list
    values: list
    decay: tf.Tensor


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
          var_list: default: the trainable variables that there are; or what `read` gave.

        Raises:
          ValueError: tensors, where each replica has another value of them.
        """
        if isinstance(var_list, _Before):
            values, before, decay = var_list
        else:
            values = self._parts(var_list)
            before, decay = values, self._present_decay()
        context = tf.distribute.get_replica_context()
        if any(tf.is_tensor(v) and not _is_variable(v) for v in values):
            if context is not None and context.num_replicas_in_sync > 1:
                raise ValueError("moving averages of tensors that each replica has")
        if context is None:
            strategy = tf.distribute.get_strategy()
            return self._update(strategy, values, before, decay)
        return context.merge_call(
            lambda strategy: self._update(strategy, values, before, decay)
        )

    def read(self, var_list=None):
        """What `apply` takes after an update to move the averages to the values before it.

        So TF1's averages moved on a cluster: a parameter server sends each variable once
        in a step. In one process they moved to the values after the update, and do so here.

        Args:
          var_list: default: the trainable variables that there are.
        """
        values = self._parts(var_list)
        if not isinstance(self._replicas.strategy, _OF_CLUSTERS):
            return values
        return _Before(
            values, [value.read_value() for value in values], self._present_decay()
        )

    def _parts(self, values):
        """Variables and tensors, in the place of each sharded variable its shards."""
        if values is None:
            values = self._replicas.trainable_variables
        return [
            part
            for value in values
            for part in training_session.variables.shards_of(value)
        ]

    def _present_decay(self):
        decay = tf.convert_to_tensor(self._decay, tf.float32)
        if self._num_updates is None:
            return decay
        updates = tf.cast(self._num_updates, tf.float32)
        return tf.minimum(decay, (1.0 + updates) / (10.0 + updates))

    def _update(self, strategy, values, before, decay):
        moved = []
        for value, goal in zip(values, before):
            average = self._made(value)
            rate = tf.cast(1.0 - decay, average.dtype)

            def move(average, goal, rate):
                return average.assign_sub((average - goal) * rate, read_value=False)

            moved.append(
                strategy.extended.update(average, move, (goal, rate), group=True)
            )
        return tf.group(*moved)

    def average(self, var):
        """The average of a variable, or of a tensor that was given to `apply` before."""
        context = tf.distribute.get_replica_context()
        if _key(var) not in self._averages and context is not None:
            # A step that only reads it is traced before the one that moves it.
            context.merge_call(lambda strategy: self._make(var))
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
        if _key(value) not in self._averages:
            self._make(value)
        return self._averages[_key(value)]

    def _make(self, value):
        with tf.init_scope(), self._replicas.strategy.scope():
            # A variable's average begins at its initial value, a tensor's at 0.
            initial = (
                value.numpy()
                if _is_variable(value)
                else tf.zeros(value.shape, value.dtype)
            )
            with tf.name_scope(""):
                self._averages[_key(value)] = tf.Variable(
                    initial,
                    trainable=False,
                    dtype=value.dtype,
                    name=f"{self._prefix}{_name(value)}/{self.name}",
                )


def _is_variable(value):
    return isinstance(value, tf.Variable)


def _key(value):
    """What tells a variable, or a tensor, from others in all step functions.

    A tensor of a step is a new one in every function that computes it. The same is
    computed where the operations, and what they start from, are the same.
    """
    if _is_variable(value):
        return _name(value)
    functions = _Functions(value.graph)
    known = {
        internal.op.name: [f"captured {id(external)}"]
        for external, internal in value.graph.captures
    }
    work = [value.op]
    while work:
        op = work[-1]
        waiting = [i.op for i in op.inputs if i.op.name not in known]
        if op.name in known or not waiting:
            work.pop()
            if op.name not in known:
                inputs = [known[i.op.name][i.value_index] for i in op.inputs]
                own = op.name if op.type == "Placeholder" else ""
                known[op.name] = functions.describe(
                    op.type, op.node_def.attr, inputs, len(op.outputs), own
                )
        else:
            work.extend(waiting)
    return known[value.op.name][value.value_index]


def _digest(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class _Functions:
    """The functions of a graph: bodies of loops and branches, under names of its own.

    The gradients of a loop add outputs to it. So each output has a digest of its own.
    """

    def __init__(self, graph):
        self._graph = graph
        self._bodies = None
        self._known = {}

    def describe(self, kind, attributes, inputs, count, own=""):
        """A digest for each output of an operation.

        Args:
          inputs: digests of what it is given.
          count: how many outputs it has.
          own: the name of a parameter.
        """
        called, said = {}, []
        for name in sorted(attributes):
            attribute = attributes[name]
            functions = [attribute.func] if attribute.HasField("func") else []
            functions += attribute.list.func
            if functions:
                called[name] = [self._describe_body(f.name) for f in functions]
            elif not name.startswith("_"):
                said.append((name, attribute.SerializeToString(deterministic=True)))
        if not called:
            return [_digest(kind, own, inputs, said, i) for i in range(count)]
        if "cond" in called and "body" in called:
            (((condition, asked),),), (body,) = called["cond"], called["body"]
            found = []
            for index in range(count):
                needed, more = set(), {index} | asked
                while more:
                    needed |= more
                    more = set().union(*[body[i][1] for i in more]) - needed
                parts = [(i, body[i][0], inputs[i]) for i in sorted(needed)]
                found.append(_digest(kind, condition, parts, index))
            return found
        bodies = [body for each in called.values() for body in each]
        return [
            _digest(kind, inputs, [body[min(i, len(body) - 1)][0] for body in bodies])
            for i in range(count)
        ]

    def _describe_body(self, name):
        """For each result of a function its digest, and the arguments that it needs."""
        if name in self._known:
            return self._known[name]
        if self._bodies is None:
            library = self._graph.as_graph_def().library
            self._bodies = {f.signature.name: f for f in library.function}
        body = self._bodies[name]
        values = {
            argument.name: ([f"argument {i}"], {i})
            for i, argument in enumerate(body.signature.input_arg)
        }
        inputs_of = {
            node.name: [_split(i) for i in node.input if not i.startswith("^")]
            for node in body.node_def
        }
        results = [_split(body.ret[r.name]) for r in body.signature.output_arg]
        counts = {}
        for start, _, index in (*results, *sum(inputs_of.values(), [])):
            counts[start] = max(counts.get(start, 1), index + 1)

        def read(reference):
            start, part, index = reference
            digests, needed = values[start]
            return _digest(digests[index], part), needed

        waiting = list(body.node_def)
        while waiting:
            ready = [
                n for n in waiting if all(i[0] in values for i in inputs_of[n.name])
            ]
            waiting = [n for n in waiting if n not in ready]
            for node in ready:
                given = [read(reference) for reference in inputs_of[node.name]]
                values[node.name] = (
                    self.describe(
                        node.op,
                        node.attr,
                        [d for d, _ in given],
                        counts.get(node.name, 1),
                    ),
                    set().union(*[needed for _, needed in given]),
                )
        self._known[name] = [read(result) for result in results]
        return self._known[name]


def _split(reference):
    """`node:output:0`, or an argument's name: the node, its output, and the index."""
    start, _, output = reference.partition(":")
    part, _, index = output.rpartition(":")
    return start, part, int(index or 0)


def _name(value):
    """A variable's name in checkpoints, or the name of the operation that gives a tensor."""
    if _is_variable(value):
        return training_session.variables.name_of(value)
    return value.op.name
