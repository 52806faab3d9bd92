"""Who is in the cluster, who coordinates, and how tasks wait for each other and end."""

import contextlib
import os
import socket
import sys
import time

import tensorflow as tf

_DONE = "training_done"
# MonitoredTrainingSession's defaults: how long a task waits for another, and how soon it says so.
MAX_WAIT_SECS = 7200
RECOVERY_WAIT_SECS = 30


def is_coordinator(cluster, job_name, task_index):
    """Whether this task runs the training loop: the chief, or worker 0 without one."""
    jobs = tf.train.ClusterSpec(cluster).jobs
    for chief in ("chief", "master"):
        if chief in jobs:
            return job_name == chief
    return job_name == "worker" and int(task_index) == 0


def server_config(config=None):
    """A server configuration with threads enough to serve and to compute at once.

    On a machine with few cores, steps that wait for each other could fill the default
    pool, and the coordinator's server would never answer. A worker offers one GPU, unless
    `config` says how many: TF1 used one, but a strategy computes the step once per GPU.
    """
    settings = tf.compat.v1.ConfigProto()
    # Only for server_config(config).
    settings = config or settings
    # Head only for server_config(config).
    if "GPU" not in settings.device_count:
        settings.device_count["GPU"] = 1
    # Head only for server_config(config).
    if settings.inter_op_parallelism_threads == 0:
        settings.inter_op_parallelism_threads = max(8, os.cpu_count() or 1)
    return settings


def serve(server):
    """Serves the coordinator until it says that training has ended, then exits.

    The exit code is 0 if training is done, 143 if the coordinator was stopped by SIGTERM,
    and 1 if training failed, or if no coordinator has answered for two hours, as in TF1.
    """
    _leave_server(_served(server))


def serve_until_done(server):
    """Serves, as a parameter server, until every worker has ended; then returns.

    `AsynchronousReplicas(..., ends_servers=True)` says so. Exits with 1 where training
    failed, or where no coordinator has answered for two hours.
    """
    code = _served(server)
    if code:
        _leave_server(code)


def _served(server):
    """Serves until the coordinator's word; the exit code that it stands for."""
    definition = server.server_def
    own_device = f"/job:{definition.job_name}/task:{definition.task_index}"
    cluster = tf.train.ClusterSpec(definition.cluster)
    waiting = Waiting("the coordinator", [_coordinator_address(cluster)])
    # In slices, so that an interrupt is heard.
    options = tf.compat.v1.RunOptions(timeout_in_ms=2000)
    with done_queue(server.target, own_device) as (session, queue):
        done = queue.dequeue()
        code = None
        while code is None:
            try:
                code = int(session.run(done, options=options))
                if code > 128:
                    print("The coordinator was asked to stop.")
                elif code:
                    print("Training failed; the coordinator's output says why.")
            except tf.errors.DeadlineExceededError:
                try:
                    waiting.check()
                except tf.errors.UnavailableError as error:
                    print(error.message, file=sys.stderr)
                    code = 1
    # The coordinator's message is answered before this process is gone.
    time.sleep(1)
    return code


def _leave_server(code):
    sys.stdout.flush()
    sys.stderr.flush()
    # The server's threads cannot be stopped from Python; leave without them.
    os._exit(code)


def leave(message):
    """Ends a task that has nothing to do, with exit code 0."""
    print(message)
    sys.exit(0)


def workers_only(cluster):
    """The cluster without its parameter servers, as synchronous training needs it.

    Also leaves this process no more than its first GPU, for the reason given at
    `server_config`; so it is called before the strategy is made.
    """
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) > 1:
        tf.config.set_visible_devices(gpus[:1], "GPU")
    spec = tf.train.ClusterSpec(cluster)
    jobs = {job: spec.job_tasks(job) for job in spec.jobs if job in ("chief", "worker")}
    if "master" in spec.jobs:
        jobs["chief"] = spec.job_tasks("master")
    return tf.train.ClusterSpec(jobs)


def _coordinator_address(cluster):
    """The address of the task that coordinates, "host:port"."""
    for chief in ("chief", "master"):
        if chief in cluster.jobs:
            return cluster.task_address(chief, cluster.task_indices(chief)[0])
    return cluster.task_address("worker", 0)


def answers(address):
    """Whether something listens there now."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), 2):
            return True
    except OSError:
        return False


class Waiting:
    """Waits for tasks that do not answer: something may start them again, as in TF1.

    Args:
      who: the tasks, for messages.
      addresses: "host:port" of each.
    """

    def __init__(self, who, addresses):
        self._who = f"{who} ({', '.join(addresses)})"
        self._addresses = addresses
        self._answered = time.monotonic()
        self._told = False

    def check(self):
        """Warns if none has answered for half a minute, and fails after two hours."""
        now = time.monotonic()
        if any(answers(address) for address in self._addresses):
            self._answered, self._told = now, False
            return
        silent = now - self._answered
        if silent > MAX_WAIT_SECS:
            raise tf.errors.UnavailableError(
                None,
                None,
                f"No answer from {self._who} for {silent:.0f} s. Start the job again: "
                "training goes on from its last checkpoint.",
            )
        if silent > RECOVERY_WAIT_SECS and not self._told:
            self._told = True
            tf.compat.v1.logging.warning(
                "No answer from %s; waiting up to %d s for its restart.",
                self._who,
                MAX_WAIT_SECS,
            )


def with_coordinator(cluster):
    """The cluster's parameter servers and workers, with this process as their chief.

    It has a port of its own, because this task's tf.distribute.Server uses the task's. In a
    cluster without a chief, TensorFlow would call it "localhost", also on other machines.
    """
    spec = tf.train.ClusterSpec(cluster)
    jobs = {job: spec.job_tasks(job) for job in ("ps", "worker") if job in spec.jobs}
    host = _coordinator_address(spec).rpartition(":")[0]
    with socket.socket() as unused:
        unused.bind(("", 0))
        port = unused.getsockname()[1]
    return tf.train.ClusterSpec({**jobs, "chief": [f"{host}:{port}"]})


@contextlib.contextmanager
def done_queue(target, device, timeout_ms=0):
    """A session on one task, and the queue there that says when training is done."""
    config = tf.compat.v1.ConfigProto(
        device_filters=[device], operation_timeout_in_ms=timeout_ms
    )
    with tf.Graph().as_default(), tf.device(device):
        queue = tf.queue.FIFOQueue(8, [tf.int32], [()], shared_name=_DONE)
        with tf.compat.v1.Session(target, config=config) as session:
            yield session, queue
