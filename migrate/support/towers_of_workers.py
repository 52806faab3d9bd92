"""Towers within each worker of a cluster: a worker's update is the mean of its towers'.

Written beside your program by tf1to2, together with training_session; it is yours to read
and change. It needs TensorFlow 2.15 or later.

    replicas = AsynchronousReplicas(strategy, cluster, towers=num_gpus)
    with strategy.scope(), replicas.recording():
        ...variables, optimizer, step functions...

A step function computes one tower, `replicas.tower()`. It is traced once for each, from the
first to the last, until it averages; only the last tower goes on, with the means of all. A step
that asks for no tower is traced once. The towers of a worker share its one device: to use
several GPUs at once, start a worker for each.
"""

import functools

import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session

_CHANGES = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter")


class _Averaged(Exception):
    """A tower that is not the last has told its gradients."""


class _Turn:
    """What the towers of a step that is traced now have told each other.

    Attributes:
      number: the tower that is traced.
      asked: whether the step asked which one that is.
      averaged: whether this tower has the means of all.
      told: every tower's values, each in the order in which it told them.
    """

    def __init__(self):
        self.number = 0
        self.asked = False
        self.averaged = False
        self.told = []


class _Towers:
    """Replicas of workers, each of which computes several towers."""

    def __init__(self, *args, towers, **kwargs):
        super().__init__(*args, **kwargs)
        self._towers = int(towers)

    def tower(self):
        """The number of the tower that is traced now."""
        self._tracing.turn.asked = True
        return self._tracing.turn.number

    def towers(self, value):
        """A value of every tower, in a list: in the last tower, which alone goes on."""
        turn = self._tracing.turn
        mine = turn.told[turn.number]
        mine.append(value)
        known = [told[len(mine) - 1] for told in turn.told]
        # What follows is not used of a tower that is not the last.
        return known + [value] * (self._towers - len(known))

    def of_first(self, value):
        """The first tower's value."""
        return self.towers(value)[0]

    def averaged(self, gradients_and_variables):
        """The means over the worker's towers, for a program that goes on with them."""
        gradients, variables = zip(*gradients_and_variables)
        return list(zip(self.means(gradients), variables))

    def means(self, gradients):
        """The same of gradients alone."""
        return self._means(gradients)

    def average(self, gradients):
        """The means over the worker's towers, divided by the number of workers in step."""
        if not self._tracing.turn.averaged:
            gradients = self._means(gradients)
        return super().average(gradients)

    def _means(self, gradients):
        # A sparse one becomes dense, as it did where TF1's towers were averaged.
        dense = [g if g is None else tf.convert_to_tensor(g) for g in gradients]
        turn = self._tracing.turn
        towers = self.towers(dense)
        if turn.number < self._towers - 1:
            raise _Averaged
        turn.averaged = True
        return [
            None if parts[0] is None else tf.reduce_mean(tf.stack(parts), 0)
            for parts in zip(*towers)
        ]

    def _trace(self, function, args):
        return super()._trace(functools.partial(self._in_turn, function), args)

    def _in_turn(self, function, *args):
        """One step of all towers, which gives what the last one gives.

        Raises:
          RuntimeError: a tower changes variables by itself.
        """
        turn = self._tracing.turn = _Turn()
        graph = tf.compat.v1.get_default_graph()
        for number in range(self._towers):
            turn.number = number
            turn.told.append([])
            before = len(graph.get_operations())
            try:
                results = function(*args)
            except _Averaged:
                pass
            else:
                if not turn.asked:
                    break
            made = graph.get_operations()[before:]
            if number < self._towers - 1 and any(
                op.type.startswith(_CHANGES) for op in made
            ):
                raise RuntimeError(
                    f"{function.__name__} changes variables in every tower by itself"
                )
        return results


class AsynchronousReplicas(_Towers, training_session.AsynchronousReplicas):
    """Workers that update shared variables each at its own pace, by the mean of its towers."""


class SynchronousReplicas(_Towers, training_session.SynchronousReplicas):
    """Workers that make every step together, on the mean of all of their towers."""
