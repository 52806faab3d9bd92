"""Training in step: every worker process runs the loop itself."""

import contextlib
import threading

import tensorflow as tf

from .clusters import RECOVERY_WAIT_SECS
from .replicas import Replicas
from .step_functions import to_numpy


class SynchronousReplicas(Replicas):
    """Workers that make every step together, on the average of their gradients.

    Args:
      strategy: a tf.distribute.MultiWorkerMirroredStrategy.
      task_index: this process's index among the workers.
    """

    def __init__(self, strategy, task_index):
        super().__init__(strategy)
        self._task_index = int(task_index)

    def call(self, step, args):
        return step.unpack(map(to_numpy, step.function(*args)))

    def restored(self, is_chief, restore):
        """The chief restores and gives its values to all, as its variables were shared."""
        if is_chief:
            restore()
        if self.strategy.num_replicas_in_sync == 1:
            return
        for variable in self.global_variables:

            def share(variable=variable):
                value = variable.read_value()
                return value if is_chief else tf.zeros_like(value)

            variable.assign(self._add_up(share))

    def _add_up(self, value):
        """The sum of what a function gives on every worker."""

        def one_replica():
            context = tf.distribute.get_replica_context()
            return context.all_reduce(tf.distribute.ReduceOp.SUM, value())

        total = tf.function(lambda: self.strategy.run(one_replica), autograph=False)()
        return self.strategy.experimental_local_results(total)[0]

    def ended(self):
        """Waits until every worker has had its last step.

        A worker that ends earlier takes with it what another still receives from it,
        whose step then fails ("Socket closed"). Not for ever: another may have ended
        without a word.
        """
        if self.strategy.num_replicas_in_sync == 1:
            return

        def meet():
            # All steps are done: that a worker leaves first is no error any more.
            with contextlib.suppress(tf.errors.OpError):
                self._add_up(lambda: tf.constant(1.0))

        meeting = threading.Thread(target=meet, daemon=True)
        meeting.start()
        meeting.join(RECOVERY_WAIT_SECS)

    def run(self, worker):
        worker(self._task_index)
