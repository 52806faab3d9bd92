"""Training on parameter servers: a coordinator runs one loop for each worker."""

import os
import signal
import threading
import time

import tensorflow as tf

from .clusters import MAX_WAIT_SECS, RECOVERY_WAIT_SECS, Waiting, done_queue
from .replicas import Replicas, task_index, this_thread
from .restarts import STOP_SECS, STOPPED, Servers, heard_sigterm, save_before_end
from .variables import shards_of
from .workers import every_object, numpy_random, own_of, python_random

# MonitoredTrainingSession's default: how long the other loops may take to end when one has failed.
_STOP_GRACE_PERIOD_SECS = 120
# What runs here while another task is killed may be cancelled along with what that task did.
_CANCELLED = (tf.errors.CancelledError, tf.errors.InternalError)
# This process: it coordinates, and has the name that tf.distribute gives to that.
_OWN = "/job:chief/task:0"


class AsynchronousReplicas(Replicas):
    """Workers that update shared variables each at its own pace.

    Args:
      strategy: a tf.distribute.ParameterServerStrategy.
      cluster: the tf.train.ClusterSpec (or dict) it was made from.
      ends_servers: parameter servers, too, are told when training has ended.
    """

    def __init__(self, strategy, cluster, ends_servers=False):
        super().__init__(strategy)
        self._ends_servers = ends_servers
        self.coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        self._cluster = tf.train.ClusterSpec(cluster)
        chiefs = {"chief", "master"}.intersection(self._cluster.jobs)
        # How many of the loops, the first ones, are no worker's.
        self._chiefs = sum(map(self._cluster.num_tasks, chiefs))
        self._restoring = threading.Lock()
        self._servers = Servers(self.coordinator, self._addresses("ps"))
        self._lost = set()  # The workers that were lost.
        self._computes = self._is_reached()

    def returned(self, values):
        """A step's values as one tensor: from a worker each would be a message of its own."""
        parts = tf.nest.flatten(values, expand_composites=True)
        parts = [tf.io.serialize_tensor(part) for part in parts]
        return tf.stack(parts) if parts else tf.constant([], tf.string)

    def call(self, step, args):
        """Runs one step on the worker whose loop this is; returns its numpy values.

        The step is made again if its worker is killed before the values are read. It is
        also made again, for a while, if the worker does not reach a parameter server that
        was started again, or if another worker is killed, which may cancel the step.
        """
        deadline = None
        with self._servers.step():
            while True:
                try:  # The coordinator may tell of the last failure only now.
                    return step.read(self._run_step(step, args))
                except tf.errors.OpError as error:
                    unavailable = isinstance(error, tf.errors.UnavailableError)
                    if unavailable and self._servers.lost(self.every_variable()):
                        raise
                    if self._has_lost_worker():
                        continue
                    deadline = deadline or time.monotonic() + RECOVERY_WAIT_SECS
                    passes = unavailable or isinstance(error, _CANCELLED)
                    if not passes or time.monotonic() > deadline:
                        raise
                    time.sleep(0.2)

    def read(self, variable):
        deadline = time.monotonic() + RECOVERY_WAIT_SECS
        while True:
            try:
                return variable.numpy()
            except _CANCELLED:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def _run_step(self, step, args):
        """One step where this loop's are computed, without the coordinator's queue.

        If its worker was lost, the coordinator gives the step to any worker that is free;
        also if the step uses a table, which each worker has from the coordinator.
        """
        device = self._device()
        if device is None or step.concrete.graph.deferred_external_captures:
            return self.coordinator.schedule(step.concrete, args=args).fetch()
        # Here, and not where they go to: a lost worker would be told as a wrong argument.
        args = tf.nest.map_structure(
            lambda arg: arg if tf.is_tensor(arg) else tf.convert_to_tensor(arg), args
        )
        with tf.device(device):
            return step.concrete(*args).numpy()

    def _device(self):
        """What computes this loop's steps: this process the first one's; None: any worker."""
        if self._computes and task_index(0) == 0:
            return _OWN
        index = task_index(0) - self._chiefs
        return None if index < 0 or index in self._lost else f"/job:worker/task:{index}"

    def _is_reached(self):
        """Whether parameter servers reach this process, so that it can compute steps."""

        @tf.function(autograph=False)
        def ask(value):
            answers = []
            for index in range(len(self._addresses("ps"))):
                with tf.device(f"/job:ps/task:{index}"):
                    answers.append(value + 1.0)
            return answers

        try:
            with tf.device(_OWN):
                ask(tf.constant(0.0))
        except tf.errors.OpError as error:
            tf.compat.v1.logging.warning(
                "Parameter servers do not reach the coordinator, which computes its steps "
                "on its task's server instead: %s",
                error.message,
            )
            return False
        return True

    def _has_lost_worker(self):
        """Whether this loop's worker was lost by now: it is asked for a constant."""
        device = self._device()
        if device is None:
            return False
        try:
            with tf.device(device):
                tf.constant(0.0).numpy()
        except tf.errors.OpError:
            self._lost.add(task_index(0) - self._chiefs)
            return True
        return False

    # Only for session.MonitoredTrainingSession(checkpoint_dir).
    @property
    def losses(self):
        return self._servers.losses

    # Only for session.MonitoredTrainingSession(checkpoint_dir).
    def recovered(self, seen):
        """Waits for lost parameter servers, and restores a checkpoint of all variables.

        Returns:
          Whether training can go on.
        """
        chief = self.chief
        if self.failed.is_set() or chief is None or not chief.restores_all():
            return False

        def restore():
            chief.restore_latest()
            # Only for variables.is_local.
            for variable, value in self.local_values:
                variable.assign(value)

        return self._servers.fill(seen, self.every_variable(), self.steps, restore)

    def _addresses(self, job):
        return list(filter(None, self._cluster.job_tasks(job)))

    def restored(self, is_chief, restore):
        """The chief restores; the other workers' sessions wait for it, at most two hours."""
        with self._restoring:
            if is_chief and not self.ready.is_set():
                restore()
                # Only for variables.is_local.
                # No checkpoint has what local variables begin with.
                parts = self._local
                # Only for variables.is_local.
                # Only for variables.shards_of.
                parts = [part for v in parts for part in shards_of(v)]
                # Only for variables.is_local.
                self.local_values = [(part, self.read(part)) for part in parts]
                self.ready.set()
        deadline = time.monotonic() + MAX_WAIT_SECS
        while not self.ready.wait(0.1):
            if self.failed.is_set():
                raise RuntimeError("The chief's session could not be started.")
            if time.monotonic() > deadline:
                raise tf.errors.DeadlineExceededError(
                    None, None, "The chief's session was not ready in time."
                )

    def run(self, worker, *, workers=None):
        """Runs `worker(task_index)` for every worker task, each in its own thread.

        If a worker is killed after it has updated a variable and before it can say so,
        another worker makes that update again. SIGTERM ends the loops, and the tasks that
        serve them, after the last step is saved.

        Args:
          workers: the first so many alone; steps are made by any.

        Raises:
          Whatever the first failing worker raised, after all have ended.
        """
        errors = []
        # Only for workers.numpy_random.
        numpy_random.start()
        # Only for workers.python_random.
        python_random.start()

        def loop(index):
            this_thread.task_index, this_thread.other = index, index != 0
            try:
                # Only for workers.PerWorker.
                for own in every_object:
                    own_of(own)  # In their order, as TF1's program made them.
                worker(index)
            except BaseException as error:  # Handed to the caller below.
                errors.append(error)
                self.failed.set()

        count = self._chiefs + self._cluster.num_tasks("worker")
        # Only for AsynchronousReplicas.run(workers).
        count = workers or count
        threads = [
            threading.Thread(target=loop, args=(i,), name=f"worker-{i}", daemon=True)
            for i in range(count)
        ]
        for thread in threads:
            thread.start()
        code = 1
        with heard_sigterm() as stop:
            try:
                self._join(threads, stop)
                code = 1 if errors else 0
            finally:
                if stop.is_set():
                    with self._servers.pause(STOP_SECS):
                        save_before_end(self.chief)
                        self._dismiss(STOPPED)
                else:
                    self._dismiss(code)
        if stop.is_set():  # This process ends as the signal would have ended it.
            os.kill(os.getpid(), signal.SIGTERM)
        if errors:
            self._explain(errors[0])
            raise errors[0]

    def _join(self, threads, stop):
        """Waits for the loops; for the others only so long after one has failed."""
        # Without a chief worker 0 is this process, and always answers.
        waiting = Waiting("any worker", self._addresses("worker"))
        checked = time.monotonic()
        deadline = None
        for thread in threads:
            while thread.is_alive() and (deadline is None or checked < deadline):
                thread.join(0.5)
                if stop.is_set():
                    return
                if time.monotonic() - checked > 2:
                    waiting.check()
                    checked = time.monotonic()
                if deadline is None and self.failed.is_set():
                    deadline = time.monotonic() + _STOP_GRACE_PERIOD_SECS

    def _explain(self, error):
        """Raises a clearer error if a parameter server's end is behind this one."""
        if not isinstance(error, (tf.errors.UnavailableError, tf.errors.AbortedError)):
            return
        gone = self._servers.gone() or self._addresses("ps")
        raise tf.errors.UnavailableError(
            None,
            None,
            f"A parameter server ({', '.join(gone)}) is gone or was started "
            "again, and the variables it held are lost. Training goes on by itself only "
            "in a session with a checkpoint of all variables. Start the job again: it "
            "goes on from its last checkpoint.",
        ) from error

    def _dismiss(self, code):
        """Tells the tasks that wait in `serve` that training has ended."""
        workers = self._cluster.task_indices("worker")[0 if self._chiefs else 1 :]
        others = [("worker", index) for index in workers]
        # Only for AsynchronousReplicas(ends_servers).
        if self._ends_servers:
            others += [("ps", index) for index in self._cluster.task_indices("ps")]

        def dismiss(job, index):
            target = "grpc://" + self._cluster.task_address(job, index)
            device = f"/job:{job}/task:{index}"
            try:
                with done_queue(target, device, 30000) as (session, queue):
                    session.run(queue.enqueue(code))
            except tf.errors.OpError as error:
                tf.compat.v1.logging.warning("%s %d is gone: %s", job, index, error)
                # The coordinator's destructor would wait until it is back. What a
                # daemon thread holds is never destroyed.
                threading.Thread(
                    target=lambda held: threading.Event().wait(),
                    args=[self.coordinator],
                    daemon=True,
                ).start()

        threads = [threading.Thread(target=dismiss, args=task) for task in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
