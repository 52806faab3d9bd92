"""What tf.train.MonitoredTrainingSession did for a TF1 program, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later and nothing else.

The program defines *step functions* under a strategy's scope and runs them in a
session-like loop:

    replicas = AsynchronousReplicas(strategy, cluster)
    with strategy.scope(), replicas.recording():
        ...variables, layers, optimizer...
        @replicas.step_function(tf.TensorSpec([None, 784], tf.float32))
        def train_step(x):
            ...what one replica computes; returns what the loop wants to see...

    def run_worker(task_index):
        with MonitoredTrainingSession(replicas, is_chief=task_index == 0) as sess:
            while not sess.should_stop():
                loss = sess.run(train_step, batch)

    replicas.run(run_worker)

Asynchronous training (ParameterServerStrategy) has one client, the coordinator.
It runs the old loop once per worker task, each in a thread of its own, so that as
many steps are in flight as TF1 had workers. In synchronous training
(MultiWorkerMirroredStrategy) every worker process runs the loop itself.

Checkpoints are TF1's: same file format, same variable names, slots included. A
TF1 checkpoint found in `checkpoint_dir` is continued, and TF1 can read ours.
"""

import contextlib
import itertools
import operator
import os
import random
import re
import socket
import sys
import threading
import time

import numpy as np
import tensorflow as tf

_USE_DEFAULT = object()
_DONE = "training_done"
# What TensorFlow takes for the seed of all operations where there is none.
NO_SEED = 87654321
# MonitoredTrainingSession's defaults: how long a task waits for another, how soon it
# says so, and how long the other loops may take to end when one has failed.
_MAX_WAIT_SECS = 7200
_RECOVERY_WAIT_SECS = 30
_STOP_GRACE_PERIOD_SECS = 120


# -- the cluster --------------------------------------------------------------


def is_coordinator(cluster, job_name, task_index):
    """Whether this task runs the training loop: the chief, or worker 0 without one."""
    jobs = tf.train.ClusterSpec(cluster).jobs
    for chief in ("chief", "master"):
        if chief in jobs:
            return job_name == chief
    return job_name == "worker" and int(task_index) == 0


def server_config(config=None):
    """A server configuration with threads enough to serve and to compute at once.

    On a machine with few cores the default pool can be filled by steps that wait
    for each other; the coordinator's own server then never answers.

    A worker offers one GPU, unless `config` says how many: TF1's setter placed a
    worker's operations on one device, but a strategy computes the step once per GPU.
    """
    config = config or tf.compat.v1.ConfigProto()
    if "GPU" not in config.device_count:
        config.device_count["GPU"] = 1
    if config.inter_op_parallelism_threads == 0:
        config.inter_op_parallelism_threads = max(8, os.cpu_count() or 1)
    return config


def serve(server):
    """Serves the coordinator until it says that training has ended, then exits.

    The exit code is 0 where training is done, 1 where it failed or where no
    coordinator has answered for two hours (so long TF1's workers waited for the chief).
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
    waiting = _Waiting("the coordinator", [_coordinator_address(cluster)])
    with _done_queue(server.target, own_device) as (session, queue):
        done = queue.dequeue()
        while True:
            try:
                # In slices, so that an interrupt is heard.
                options = tf.compat.v1.RunOptions(timeout_in_ms=2000)
                code = int(session.run(done, options=options))
                if code:
                    print("Training failed; the coordinator's output says why.")
                break
            except tf.errors.DeadlineExceededError:
                pass
            try:
                waiting.check()
            except tf.errors.UnavailableError as error:
                print(error.message, file=sys.stderr)
                code = 1
                break
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
    """The address of the task that `is_coordinator`, "host:port"."""
    for chief in ("chief", "master"):
        if chief in cluster.jobs:
            return cluster.task_address(chief, cluster.task_indices(chief)[0])
    return cluster.task_address("worker", 0)


def _answers(address):
    """Whether something listens there now."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), 2).close()
    except OSError:
        return False
    return True


class _Waiting:
    """Notices that none of some tasks answers any more, and for how long.

    A task that was killed is waited for, as in TF1: what started it may start it
    again. But not in silence, and not for ever.

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
        """Warns after half a minute.

        Raises:
          tf.errors.UnavailableError: none has answered for two hours.
        """
        now = time.monotonic()
        if any(_answers(address) for address in self._addresses):
            self._answered, self._told = now, False
            return
        silent = now - self._answered
        if silent > _MAX_WAIT_SECS:
            raise tf.errors.UnavailableError(
                None,
                None,
                f"No answer from {self._who} for {silent:.0f} s. Start the job again: "
                "training goes on from its last checkpoint.",
            )
        if silent > _RECOVERY_WAIT_SECS and not self._told:
            self._told = True
            tf.compat.v1.logging.warning(
                "No answer from %s; waiting up to %d s for its restart.",
                self._who,
                _MAX_WAIT_SECS,
            )


def without_chief(cluster):
    """The cluster's parameter servers and workers.

    The coordinator is none of a strategy's tasks: for a chief in the cluster the strategy
    would start a server, at the address where this process's own serves already.
    """
    spec = tf.train.ClusterSpec(cluster)
    return tf.train.ClusterSpec(
        {job: spec.job_tasks(job) for job in ("ps", "worker") if job in spec.jobs}
    )


@contextlib.contextmanager
def _done_queue(target, device, timeout_ms=0):
    """A session on one task, and the queue there that says when training is done."""
    config = tf.compat.v1.ConfigProto(
        device_filters=[device], operation_timeout_in_ms=timeout_ms
    )
    with tf.Graph().as_default(), tf.device(device):
        queue = tf.queue.FIFOQueue(8, [tf.int32], [()], shared_name=_DONE)
        with tf.compat.v1.Session(target, config=config) as session:
            yield session, queue


# -- what each worker has for itself --------------------------------------------

_thread = threading.local()  # In another worker's thread: task_index, generators.
_objects = []  # Every PerWorker, in the order of making.


def task_index(own):
    """The task whose loop this thread runs; `own`, this process's, outside of loops."""
    return getattr(_thread, "task_index", own)


def per_worker(factory):
    """An object that every TF1 worker, a process, had for itself.

    Worker 0 and the code outside of loops have the first, made now. Every other
    worker makes its own when its loop starts.

    Args:
      factory: makes it.

    Returns:
      What stands for the object: in each worker's thread, that worker's.
    """
    return PerWorker(factory)


class PerWorker:
    """Passes everything on to the object of the worker whose thread this is."""

    __slots__ = ("_factory", "_first", "_others")

    def __init__(self, factory):
        object.__setattr__(self, "_factory", factory)
        object.__setattr__(self, "_first", factory())
        object.__setattr__(self, "_others", threading.local())
        _objects.append(self)

    def __getattr__(self, name):
        return getattr(_own(self), name)

    def __setattr__(self, name, value):
        setattr(_own(self), name, value)

    def __delattr__(self, name):
        delattr(_own(self), name)

    def __array__(self, dtype=None, copy=None):
        array = np.asarray(_own(self), dtype)
        return array.copy() if copy else array


def _own(value):
    """The object itself, where `value` stands for one; else `value`."""
    if type(value) is not PerWorker:
        return value
    if not getattr(_thread, "other", False):
        return object.__getattribute__(value, "_first")
    others = object.__getattribute__(value, "_others")
    if not hasattr(others, "own"):
        others.own = object.__getattribute__(value, "_factory")()
    return others.own


def _passed_on(name):
    """Python looks operators up in the class, so each needs a method there."""

    def method(self, *args):
        own = _own(self)
        args = [_own(a) for a in args]
        if name.startswith("i") and hasattr(operator, name) and len(args) == 1:
            result = getattr(operator, name)(own, args[0])
            return self if result is own else result
        function = getattr(type(own), f"__{name}__", None)
        return NotImplemented if function is None else function(own, *args)

    method.__name__ = f"__{name}__"
    return method


for _name_of_method in (
    *("call", "iter", "next", "len", "getitem", "setitem", "delitem", "contains"),
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"),
    *("iadd", "isub", "imul", "itruediv", "ifloordiv", "neg", "pos", "abs", "invert"),
    *("eq", "ne", "lt", "le", "gt", "ge", "str", "repr", "enter", "exit", "reversed"),
):
    setattr(PerWorker, f"__{_name_of_method}__", _passed_on(_name_of_method))
PerWorker.__bool__ = lambda self: bool(_own(self))
PerWorker.__float__ = lambda self: float(_own(self))
PerWorker.__int__ = lambda self: int(_own(self))
PerWorker.__index__ = lambda self: operator.index(_own(self))
PerWorker.__hash__ = lambda self: hash(_own(self))


class _Generator:
    """A module's random generator: in another worker's thread, one of that worker's.

    TF1's workers were processes. With a seed all began alike, without one each with
    a state of its own.

    Args:
      module: `numpy.random` or `random`, the generator of worker 0.
      make: makes a generator.
      get: takes a generator's state.
      set: gives it one.
      aliases: functions that only the module has: name -> the generator's method.
    """

    def __init__(self, module, make, get, set, aliases=()):
        self._module, self._make, self._get, self._set = module, make, get, set
        self._aliases = dict(aliases)
        self._seeded = False
        self._start = None
        self._others = threading.local()

    def _generator(self):
        if not getattr(_thread, "other", False):
            return self._module
        if not hasattr(self._others, "own"):
            self._others.own = self._make()
            if self._start is not None:
                self._set(self._others.own, self._start)
        return self._others.own

    def start(self):
        """The loops of the workers begin: what was seeded goes on alike in each."""
        self._start = self._get(self._module) if self._seeded else None

    def seed(self, *args, **kwargs):
        if not getattr(_thread, "other", False):
            given = [*args, *kwargs.values()]
            self._seeded = bool(given) and given[0] is not None
        return self._generator().seed(*args, **kwargs)

    def __getattr__(self, name):
        generator = self._generator()
        if generator is not self._module:
            name = self._aliases.get(name, name)
        method = getattr(generator, name)
        if not callable(method):
            return method
        return lambda *args, **kwargs: method(*map(_own, args), **kwargs)


numpy_random = _Generator(
    np.random,
    np.random.RandomState,
    lambda generator: generator.get_state(),
    lambda generator, state: generator.set_state(state),
    {"ranf": "random_sample", "sample": "random_sample"},
)
python_random = _Generator(
    random,
    random.Random,
    lambda generator: generator.getstate(),
    lambda generator, state: generator.setstate(state),
)


# -- replicas -----------------------------------------------------------------


class _Replicas:
    """The variables of one training program, and how its steps are run.

    Attributes:
      count: how many replicas this process has; a step takes a batch for each.
    """

    count = 1

    def __init__(self, strategy):
        self.strategy = strategy
        self.ready = threading.Event()
        self.failed = threading.Event()
        self._recorded = []
        # What a TF1 partitioner has split, by the variables' own names: the name that
        # such a part has in checkpoints; and, by that, which rows it holds where no
        # other part has the same name.
        self.parts = {}
        self.slices = {}
        self._fed = {}  # What optimizers are fed, by name and the graph that is traced.
        self._names = set()
        # What a step that is traced observes: MirroredStrategy traces every replica in
        # a thread of its own, one until it meets the others, then the next.
        self._tracing = threading.local()

    @contextlib.contextmanager
    def recording(self, drawn=True):
        """Records the variables created inside, in order, under TF1's unique names.

        Keras layers made inside compute in the dtype of their input, as TF1's did.

        Args:
          drawn: whether their initial values are used. To draw these as TF1 did, all
            random numbers begin anew, also those of functions in use.
        """

        def create(next_creator, **kwargs):
            name = kwargs.get("name") or "Variable"
            scope = tf.get_current_name_scope()
            prefix, number = (scope + "/" if scope else ""), 0
            unique = name
            while prefix + unique in self._names:
                number += 1
                unique = f"{name}_{number}"
            self._names.add(prefix + unique)
            kwargs["name"] = unique
            if (
                kwargs.get("trainable") is False
                and kwargs.get("aggregation", tf.VariableAggregation.NONE)
                == tf.VariableAggregation.NONE
            ):
                # Counters are the same on every replica.
                kwargs["aggregation"] = tf.VariableAggregation.ONLY_FIRST_REPLICA
            if kwargs.get("synchronization") == tf.VariableSynchronization.ON_READ:
                # Batch normalisation's averages: kept equal in every step, because the
                # chief saves alone, and to read them it would need all the others.
                kwargs["synchronization"] = tf.VariableSynchronization.AUTO
            initial = kwargs.get("initial_value")
            if callable(initial) and not hasattr(initial, "checkpoint_position"):
                # Drawn here: parameter servers would go on with streams of their own.
                with tf.init_scope():
                    kwargs["initial_value"] = initial()
            variable = next_creator(**kwargs)
            self._recorded.append(variable)
            if drawn:
                _seeds_begin_anew()
            return variable

        if drawn:
            _seeds_begin_anew()
        with tf.variable_creator_scope(create), _layers_take_dtype_of_input():
            yield

    @property
    def trainable_variables(self):
        """Trainable variables in the order of their creation, as TF1 had them."""
        found = []
        for variable in self._recorded:
            parts = _parts(variable)
            if parts[0].trainable:
                found.extend(parts)
        return found

    def trainable_in(self, scope):
        """Those whose TF1 name (`scope/name:0`) matches a regular expression."""
        return [v for v in self.trainable_variables if re.match(scope, v.name)]

    @property
    def global_variables(self):
        """All variables in the order of their creation: slots, counters, averages too."""
        return [part for variable in self._recorded for part in _parts(variable)]

    def global_in(self, scope):
        """Those of all variables whose TF1 name matches a regular expression."""
        return [v for v in self.global_variables if re.match(scope, v.name)]

    @property
    def global_step(self):
        """The variable named `global_step`, or None."""
        for variable in self._recorded:
            if _name(variable) == "global_step":
                return variable
        return None

    def another_update(self):
        """Lets a step have another `apply_gradients`.

        TF2's looks for itself among those before by `==`, which variables do not bear.
        """
        graph = tf.compat.v1.get_default_graph()
        graph.clear_collection(tf.compat.v1.GraphKeys.TRAIN_OP)

    def feed(self, name, tensor):
        """Gives an optimizer, in the step that is traced now, what it asks `fed` for."""
        self._fed[name, tf.compat.v1.get_default_graph()] = tensor

    def fed(self, name):
        """A function of what the step that is traced feeds under this name.

        For an optimizer's learning rate, where TF1's was a placeholder or a tensor.
        """
        return lambda: self._fed[name, tf.compat.v1.get_default_graph()]

    def average(self, gradients):
        """Gradients divided by the number of replicas.

        `apply_gradients` of tf.compat.v1 optimizers adds up what the replicas
        give; SyncReplicasOptimizer averaged it. Of a sparse gradient it averaged each
        row over the replicas that have it.
        """
        replicas = self.strategy.num_replicas_in_sync
        if replicas == 1:
            return list(gradients)
        return [
            _by_contributors(g)
            if isinstance(g, tf.IndexedSlices)
            else g
            if g is None
            else tf.math.scalar_mul(1.0 / replicas, g)
            for g in gradients
        ]

    def check_aggregation(self, replicas_to_aggregate, total_num_replicas=None):
        """Fails where SyncReplicasOptimizer would not have waited for every replica.

        Raises:
          ValueError: TF2 has no strategy that drops or repeats replicas' gradients.
        """
        replicas = self.strategy.num_replicas_in_sync
        for name, value in (
            ("replicas_to_aggregate", replicas_to_aggregate),
            ("total_num_replicas", total_num_replicas),
        ):
            if value is not None and int(value) != replicas:
                raise ValueError(
                    f"{name}={value}, but synchronous training here averages the "
                    f"gradients of all {replicas} workers in every step."
                )

    def ended(self):
        """A session of these replicas has ended."""

    def replica(self):
        """Which of this process's replicas is being traced; None outside of them."""
        return None if tf.distribute.get_replica_context() is None else 0

    def of_replicas(self, values):
        """What a run gives of one value per replica of this process."""
        return values[0]

    def observe(self, tensors):
        """Gives the session's hooks values of this step, by key."""
        if getattr(self._tracing, "observed", None) is not None:
            self._tracing.observed.update(tensors)

    def step_function(self, *specs):
        """Decorates what one replica computes in one step.

        Traced at once, so that layers' weights and optimizer slots exist before
        a checkpoint is read. Must be used inside `strategy.scope()` and `recording()`.

        Args:
          *specs: a tf.TensorSpec (or a structure of them) per parameter.
        """

        def decorate(function):
            return StepFunction(self, function, specs)

        return decorate

    def _trace(self, function, args):
        """One replica's results: fetches, observed values, summaries, global step."""
        self._tracing.observed, summary.entries = {}, []
        graph = tf.compat.v1.get_default_graph()
        if graph.building_function:
            # A summary of a variable's name was numbered: the name was in use.
            for name in sorted(self._names):
                graph.unique_name(name)
        fetches = tf.nest.map_structure(_value, function(*args))
        results = {
            "fetches": fetches,
            "observed": tf.nest.map_structure(_value, self._tracing.observed),
        }
        if summary.entries:
            results["summaries"] = summary.merge_all()
        self._tracing.observed = None
        step = self.global_step
        if step is not None:
            with tf.control_dependencies(
                [t for t in tf.nest.flatten(fetches) if tf.is_tensor(t)]
            ):
                results["global_step"] = step.read_value()
        return results

    # Checkpoint entries: TF1 name -> the variables that hold it, in row order.

    def entries(self):
        """Variables by TF1's checkpoint names; a sharded one is a list of its parts."""
        sharded = {_name(v) for v in self._recorded if len(_parts(v)) > 1}
        found = {}
        for variable in self._recorded:
            name = _name(variable)
            slot = re.fullmatch(r"(.*)/part_\d+/(.*)", name)
            if name in self.parts:
                found.setdefault(self.parts[name], []).append(variable)
            elif slot and slot[1] in sharded:
                found.setdefault(f"{slot[1]}/{slot[2]}", []).append(variable)
            else:
                found.setdefault(name, []).extend(_parts(variable))
        return found


def _by_contributors(gradient):
    """A sparse gradient, each row divided by how many replicas have that row."""
    here = tf.scatter_nd(
        gradient.indices[:, tf.newaxis],
        tf.ones_like(gradient.indices, gradient.dtype),
        tf.cast(gradient.dense_shape[:1], gradient.indices.dtype),
    )
    context = tf.distribute.get_replica_context()
    total = context.all_reduce("sum", tf.cast(here > 0, gradient.dtype))
    rank = len(gradient.values.shape)
    times = tf.reshape(tf.gather(total, gradient.indices), [-1] + [1] * (rank - 1))
    return tf.IndexedSlices(
        gradient.values / times, gradient.indices, gradient.dense_shape
    )


@contextlib.contextmanager
def _layers_take_dtype_of_input():
    """Inside, a Keras layer made without a dtype has that of its first input.

    Keras 2 gives it float32 and casts what it is called with; a float64 model would
    lose its precision without a word. A policy that the program has set is left alone.
    """
    keras = sys.modules.get("tf_keras")
    precision = keras.mixed_precision if keras else None
    policy = precision.global_policy() if precision else None
    if policy is None or policy.name != keras.backend.floatx():
        yield
        return
    # What Keras itself calls TF1's way: see tf.compat.v1.keras.
    precision.set_global_policy("_infer")
    try:
        yield
    finally:
        precision.set_global_policy(policy)


class AsynchronousReplicas(_Replicas):
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
        self._restoring = threading.Lock()

    def call(self, step, args):
        """Runs one step on whichever worker is free; returns its numpy values.

        A worker that is killed between the step and the reading of its values takes
        them along: then the step is made again.

        Raises:
          tf.errors.UnavailableError: a parameter server is gone.
        """
        lost = 0
        while True:
            made = self.coordinator.schedule(step.function, args=args)
            try:
                return step.unpack(made.fetch())
            except tf.errors.UnavailableError:
                lost += 1
                if lost > self._cluster.num_tasks("worker") or self._gone("ps"):
                    raise

    def _addresses(self, job):
        return [
            self._cluster.task_address(job, index)
            for index in self._cluster.task_indices(job)
        ]

    def _gone(self, job):
        """The addresses of a job's tasks that do not answer."""
        return [address for address in self._addresses(job) if not _answers(address)]

    def restored(self, is_chief, restore):
        """The chief restores; the other workers' sessions wait for it.

        Raises:
          RuntimeError: another worker has failed before the chief was ready.
          tf.errors.DeadlineExceededError: no chief within two hours, as in TF1.
        """
        with self._restoring:
            if is_chief and not self.ready.is_set():
                restore()
                self.ready.set()
        deadline = time.monotonic() + _MAX_WAIT_SECS
        while not self.ready.wait(0.1):
            if self.failed.is_set():
                raise RuntimeError("The chief's session could not be started.")
            if time.monotonic() > deadline:
                raise tf.errors.DeadlineExceededError(
                    None, None, "The chief's session was not ready in time."
                )

    def run(self, worker):
        """Runs `worker(task_index)` for every worker task, each in its own thread.

        A step whose worker is killed is done by another one, or waits for one to come
        back. (If the worker was killed after it had updated a variable and before it
        could say so, that update is made twice.)

        Raises:
          tf.errors.UnavailableError: a parameter server is gone, with its variables;
            or no worker has answered for two hours.
          Whatever else the first failing worker raised, after all have ended.
        """
        chiefs = sum(
            self._cluster.num_tasks(job)
            for job in ("chief", "master")
            if job in self._cluster.jobs
        )
        errors = []
        for generator in (numpy_random, python_random):
            generator.start()

        def loop(task_index):
            _thread.task_index, _thread.other = task_index, task_index != 0
            try:
                for own in _objects:
                    _own(own)  # In their order, as TF1's program made them.
                worker(task_index)
            except BaseException as error:  # Handed to the caller below.
                errors.append(error)
                self.failed.set()

        threads = [
            threading.Thread(target=loop, args=(index,), name=f"worker-{index}")
            for index in range(chiefs + self._cluster.num_tasks("worker"))
        ]
        for thread in threads:
            thread.daemon = True
            thread.start()
        code = 1
        try:
            self._join(threads)
            code = 1 if errors else 0
        finally:
            self._dismiss(code)
        if errors:
            self._explain(errors[0])
            raise errors[0]

    def _join(self, threads):
        """Waits for the loops; for the others only so long after one has failed."""
        # Without a chief worker 0 is this process, and always answers.
        waiting = _Waiting("any worker", self._addresses("worker"))
        checked = time.monotonic()
        deadline = None
        for thread in threads:
            while thread.is_alive() and (deadline is None or checked < deadline):
                thread.join(0.5)
                if time.monotonic() - checked > 2:
                    waiting.check()
                    checked = time.monotonic()
                if deadline is None and self.failed.is_set():
                    deadline = time.monotonic() + _STOP_GRACE_PERIOD_SECS

    def _explain(self, error):
        """Raises a clearer error where a parameter server's end is behind this one.

        Raises:
          tf.errors.UnavailableError: a parameter server is gone.
        """
        if not isinstance(error, (tf.errors.UnavailableError, tf.errors.AbortedError)):
            return
        gone = self._gone("ps") or self._addresses("ps")
        raise tf.errors.UnavailableError(
            None,
            None,
            f"A parameter server ({', '.join(gone)}) is gone or was started "
            "again, and the variables it held are lost. Start the job again: training "
            "goes on from its last checkpoint.",
        ) from error

    def _dismiss(self, code):
        """Tells the tasks that wait in `serve` that training has ended."""
        chief = any(job in self._cluster.jobs for job in ("chief", "master"))
        workers = self._cluster.task_indices("worker")[0 if chief else 1 :]
        others = [("worker", index) for index in workers]
        if self._ends_servers:
            others += [("ps", index) for index in self._cluster.task_indices("ps")]
        gone = []

        def dismiss(job, index):
            address = self._cluster.task_address(job, index)
            device = f"/job:{job}/task:{index}"
            try:
                with _done_queue("grpc://" + address, device, 30000) as (
                    session,
                    queue,
                ):
                    session.run(queue.enqueue(code))
            except tf.errors.OpError as error:
                tf.compat.v1.logging.warning("%s %d is gone: %s", job, index, error)
                gone.append(index)

        threads = [threading.Thread(target=dismiss, args=task) for task in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if gone:
            # The coordinator's destructor would wait until they are back. What a
            # daemon thread holds is never destroyed.
            hold = threading.Thread(
                target=lambda coordinator: threading.Event().wait(),
                args=(self.coordinator,),
                daemon=True,
            )
            hold.start()


class SynchronousReplicas(_Replicas):
    """Workers that make every step together, on the average of their gradients.

    Args:
      strategy: a tf.distribute.MultiWorkerMirroredStrategy.
      task_index: this process's index among the workers.
    """

    def __init__(self, strategy, task_index):
        super().__init__(strategy)
        self._task_index = int(task_index)

    def call(self, step, args):
        return step.unpack([value.numpy() for value in step.function(*args)])

    def restored(self, is_chief, restore):
        """The chief restores and gives its values to all, as its variables were shared."""
        if is_chief:
            restore()
        if self.strategy.num_replicas_in_sync > 1:
            for parts in self.entries().values():
                for variable in parts:
                    self._broadcast(variable, is_chief)

    def _broadcast(self, variable, is_chief):
        def one_replica():
            value = variable.read_value()
            value = value if is_chief else tf.zeros_like(value)
            context = tf.distribute.get_replica_context()
            return context.all_reduce(tf.distribute.ReduceOp.SUM, value)

        value = tf.function(lambda: self.strategy.run(one_replica), autograph=False)()
        variable.assign(self.strategy.experimental_local_results(value)[0])

    def ended(self):
        """Waits until every worker has had its last step.

        A worker that ends earlier takes with it what another still receives from it,
        whose step then fails ("Socket closed"). Not for ever: another may have ended
        without a word.
        """
        if self.strategy.num_replicas_in_sync == 1:
            return

        def one_replica():
            context = tf.distribute.get_replica_context()
            return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.constant(1.0))

        def meet():
            # All steps are done: that a worker leaves first is no error any more.
            with contextlib.suppress(tf.errors.OpError):
                tf.function(lambda: self.strategy.run(one_replica), autograph=False)()

        meeting = threading.Thread(target=meet, daemon=True)
        meeting.start()
        meeting.join(_RECOVERY_WAIT_SECS)

    def run(self, worker):
        worker(self._task_index)


class StepFunction:
    """A step of training or evaluation, as every replica runs it."""

    def __init__(self, replicas, function, specs):
        self.specs = specs
        self.__name__ = function.__name__
        strategy = replicas.strategy

        def distributed(*args):
            results = strategy.run(lambda *a: replicas._trace(function, a), args=args)
            self._structure = results
            # Operations have no value, and no place among a function's results.
            return [
                replicas.of_replicas(strategy.experimental_local_results(x))
                for x in tf.nest.flatten(results)
                if x is not None
            ]

        # As in TF1, Python's control flow runs when the graph is built.
        self.function = tf.function(distributed, input_signature=specs, autograph=False)
        self.function.get_concrete_function()

    def unpack(self, values):
        """The step's results in the structure that the step function returned."""
        values = iter(values)
        return tf.nest.map_structure(
            lambda x: None if x is None else next(values), self._structure
        )

    def feed(self, args):
        """Arguments with the dtypes of the specs, as a TF1 feed converted them.

        Raises:
          TypeError: too many or too few arguments.
        """
        if len(args) != len(self.specs):
            raise TypeError(
                f"{self.__name__} takes {len(self.specs)} arguments, not {len(args)}"
            )

        def convert(spec, value):
            if tf.is_tensor(value):
                return value
            return np.asarray(value, spec.dtype.as_numpy_dtype)

        return tuple(
            convert(spec, arg)  # A list is one array, not a structure.
            if isinstance(spec, tf.TensorSpec)
            else tf.nest.map_structure(convert, spec, arg)
            for spec, arg in zip(self.specs, args)
        )


def create_global_step():
    """The step counter, under TF1's name and dtype (int64)."""
    return tf.Variable(0, dtype=tf.int64, trainable=False, name="global_step")


class Rate:
    """A learning-rate schedule for optimizers that want a tensor, not a function.

    Converted anew whenever an optimizer asks, so it follows the global step.
    """

    def __init__(self, schedule):
        self._schedule = schedule

    def __call__(self):
        return self._schedule()

    def __tf_tensor__(self, dtype=None, name=None):
        rate = tf.convert_to_tensor(self._schedule())
        return rate if dtype is None else tf.cast(rate, dtype)


class ScopedPartitioner:
    """A `variable_partitioner` that shards only the variables it is asked to.

    ParameterServerStrategy shards every variable by its partitioner; TF1 gave
    partitioners to single variables or scopes.
    """

    def __init__(self):
        self._current = None

    @contextlib.contextmanager
    def sharding(self, partitioner):
        """Variables created inside are sharded by `partitioner`."""
        outer, self._current = self._current, partitioner
        try:
            yield
        finally:
            self._current = outer

    def __call__(self, shape, dtype, **kwargs):
        if self._current is None:
            return [1] * len(shape)
        return self._current(shape, dtype, **kwargs)


partitioner = ScopedPartitioner()


def spec_of(function, *specs):
    """The tf.TensorSpec of what `function` gives for tensors of these specs.

    For variables made by the shape of a tensor: they are made before any step is.
    """
    entries = list(summary.entries)
    traced = tf.function(function, autograph=False).get_concrete_function(*specs)
    summary.entries[:] = entries  # Nothing of this trace is run.
    return tf.nest.map_structure(
        lambda tensor: tf.TensorSpec(tensor.shape, tensor.dtype),
        traced.structured_outputs,
    )


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False):
    """tf.layers.dropout with a seed: what TF1 drew by it, however often it is traced."""

    def dropped():
        return tf.nn.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed)

    if tf.is_tensor(training):
        return tf.cond(training, dropped, lambda: tf.identity(inputs))
    return dropped() if training else tf.identity(inputs)


def mod_rows(ids, table):
    """Row numbers of `ids` where TF1's partition_strategy="mod" kept them.

    TF1 put id i into shard i % n at row i // n; a sharded table lays its shards
    one after the other, so i's row is the start of its shard plus i // n.

    Args:
      ids: integer tensor, any shape.
      table: a variable of shape [rows, ...], sharded or whole.
    """
    parts = _parts(table)
    starts = np.cumsum([0] + [int(p.shape[0]) for p in parts[:-1]])
    ids = tf.convert_to_tensor(ids)
    shards = tf.cast(len(parts), ids.dtype)
    return tf.gather(tf.constant(starts, ids.dtype), ids % shards) + ids // shards


def _parts(variable):
    """The variables that hold a value: its shards, or itself."""
    # A ShardedVariable has no public type; what is sharded lists its `variables`.
    return list(getattr(variable, "variables", None) or [variable])


def _name(variable):
    """A variable's name in a TF1 checkpoint (a shard's slot keeps its `part_N`)."""
    parts = _parts(variable)
    name = parts[0].name.split(":")[0]
    return re.sub(r"/part_0$", "", name) if len(parts) > 1 else name


def read(variables):
    """The values, within a step, of variables in lists, tuples or dicts."""
    return tf.nest.map_structure(_value, variables)


def values(variables):
    """The values, as numpy arrays, of variables in lists, tuples or dicts."""
    return tf.nest.map_structure(lambda v: v.numpy(), variables)


def _seeds_begin_anew():
    """An eager operation with a seed goes on where the last one of that seed ended.

    Every operation of a TF1 graph began anew, so that variables of one seed began
    alike. Where the program sets no seed for all operations, setting none again does it.
    """
    with tf.init_scope():  # Keras makes a layer's variables while a step is traced.
        if tf.compat.v1.get_seed(0)[0] == NO_SEED:
            tf.random.set_seed(None)


def _value(item):
    """What a fetch gives: a variable's value, a tensor as it is."""
    if hasattr(item, "read_value"):
        return item.read_value()
    return item


# -- summaries ----------------------------------------------------------------


class _Summaries:
    """TF1's tf.summary functions: serialized summaries, collected while a step is traced."""

    def __init__(self):
        self._tracing = threading.local()  # As for what is observed.

    @property
    def entries(self):
        """Those of the step, or replica of it, that this thread traces."""
        if not hasattr(self._tracing, "entries"):
            self._tracing.entries = []
        return self._tracing.entries

    @entries.setter
    def entries(self, value):
        self._tracing.entries = value

    @property
    def scope(self):
        """What tags begin with: the name scope of the tower that a replica is, or ""."""
        return getattr(self._tracing, "scope", "")

    @scope.setter
    def scope(self, value):
        self._tracing.scope = value

    def _add(self, entry):
        self.entries.append(entry)
        return entry

    def scalar(self, name, tensor, collections=None, family=None):
        return self._add(
            tf.raw_ops.ScalarSummary(tags=_tag(name, family), values=tensor)
        )

    def histogram(self, name, values, collections=None, family=None):
        return self._add(
            tf.raw_ops.HistogramSummary(tag=_tag(name, family), values=values)
        )

    def image(self, name, tensor, max_outputs=3, collections=None, family=None):
        return self._add(
            tf.raw_ops.ImageSummary(
                tag=_tag(name, family), tensor=tensor, max_images=max_outputs
            )
        )

    def audio(
        self, name, tensor, sample_rate, max_outputs=3, collections=None, family=None
    ):
        return self._add(
            tf.raw_ops.AudioSummaryV2(
                tag=_tag(name, family),
                tensor=tensor,
                sample_rate=tf.cast(sample_rate, tf.float32),
                max_outputs=max_outputs,
            )
        )

    def text(self, name, tensor, collections=None):
        plugin = tf.compat.v1.SummaryMetadata.PluginData(plugin_name="text")
        metadata = tf.compat.v1.SummaryMetadata(plugin_data=plugin)
        return self._add(
            tf.raw_ops.TensorSummaryV2(
                tag=_tag(name, None),
                tensor=tensor,
                serialized_summary_metadata=metadata.SerializeToString(),
            )
        )

    def merge(self, inputs, collections=None, name=None):
        """One summary of several."""
        return tf.raw_ops.MergeSummary(inputs=list(inputs))

    def merge_all(self, key=None, scope=None, name=None):
        """One summary of all made so far in this step, or None."""
        return self.merge(self.entries) if self.entries else None


# TF1's `tf.summary`, for step functions. Steps are traced one after another.
summary = _Summaries()


def _tag(name, family):
    """The tag TF1 gave: [family/]scope/[family/]name, numbered where used before."""
    name, family = (
        text and re.sub(r"[^-/\w.]", "_", text).lstrip("/") for text in (name, family)
    )
    # A name scope, because it gives unique names; TF1 took its tags from there too.
    with tf.compat.v1.name_scope(f"{family}/{name}" if family else name) as scope:
        # MirroredStrategy names the operations of its replicas apart.
        tag = re.sub(r"^replica_\d+/", "", scope.rstrip("/"))
        tag = f"{summary.scope}/{tag}" if summary.scope else tag
        return f"{family}/{tag}" if family else tag


class SummaryWriter:
    """tf.summary.FileWriter: event files that TensorBoard reads."""

    _made = itertools.count()
    _shared = {}
    _sharing = threading.Lock()

    def __init__(self, logdir):
        # An event file is named by second and host. Workers' threads make writers
        # within one second, which without a suffix would write over each other.
        number = next(self._made)
        suffix = f".{number}" if number else ""
        # TF1's writer refuses to be made in eager mode, but works there.
        with tf.Graph().as_default():
            self._writer = tf.compat.v1.summary.FileWriter(
                logdir, filename_suffix=suffix
            )

    @classmethod
    def shared(cls, logdir):
        """The writer that all hooks use for a directory (TF1's SummaryWriterCache).

        TensorBoard follows the newest event file of a directory only.
        """
        with cls._sharing:
            key = os.path.abspath(logdir) if "://" not in logdir else logdir
            if key not in cls._shared:
                cls._shared[key] = cls(logdir)
            return cls._shared[key]

    def add_session_log(self, status, global_step, **fields):
        """Notes a start or a checkpoint; after a start TensorBoard drops later steps."""
        log = tf.compat.v1.SessionLog(status=status, **fields)
        self._writer.add_session_log(log, global_step)

    def add_summary(self, value, global_step=None):
        """Writes a summary that a step gave, or a tf.compat.v1.Summary."""
        if value is not None:
            self._writer.add_summary(value, global_step)

    def add_graph(self, graph, global_step=None):
        """Nothing: step functions have no single graph."""

    def flush(self):
        self._writer.flush()

    def close(self):
        self._writer.close()


# -- checkpoints --------------------------------------------------------------


class Saver:
    """tf.train.Saver: TF1's own checkpoint files, by variable name.

    Args:
      var_list: the variables to save and restore: a list, or a dict with the names
        that they have in the checkpoint; or a function that gives these, for lists
        that are not complete before the first step. Default: all of the program.
      max_to_keep: how many checkpoints are kept, 0 or None for all.
      keep_checkpoint_every_n_hours: one in so many hours is kept beyond those.

    Raises:
      ValueError: `var_list` is empty.
    """

    def __init__(
        self,
        var_list=None,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        **_,
    ):
        if var_list is not None and not var_list:
            raise ValueError("No variables to save")
        self._var_list = var_list
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._kept = []  # (prefix, time saved), oldest first
        self._next_permanent = time.time() + self._hours * 3600

    def _entries(self, replicas):
        """Name in the checkpoint -> the variables that hold it, in row order.

        Raises:
          ValueError: `var_list` has a variable that was not recorded, or some of the
            shards of one.
        """
        every = replicas.entries()
        variables = self._var_list() if callable(self._var_list) else self._var_list
        if variables is None:
            return every
        if isinstance(variables, dict):
            chosen = variables.items()
        else:
            chosen = [(None, variable) for variable in variables]
        name_of = {id(part): name for name, parts in every.items() for part in parts}
        found, parts_of = {}, {}
        for given, variable in chosen:
            for part in variable if isinstance(variable, list) else _parts(variable):
                if id(part) not in name_of:
                    raise ValueError(f"{part.name} is no variable of this program")
                name = name_of[id(part)]
                found[given or name] = every[name]
                parts_of.setdefault(given or name, set()).add(id(part))
        for name, parts in found.items():
            if len(parts_of[name]) != len(parts):
                raise ValueError(
                    f"{name}: not all of its {len(parts)} shards are given"
                )
        return found

    def save(self, sess, save_path, global_step=None, **_):
        """Writes the variables to `save_path[-global_step]`; returns that prefix."""
        prefix = save_path
        if global_step is not None:
            prefix = f"{save_path}-{int(getattr(global_step, 'numpy', lambda: global_step)())}"
        names, tensors = [], []
        for name, parts in self._entries(sess.replicas).items():
            names.append(name)
            values = [part.numpy() for part in parts]
            tensors.append(values[0] if len(values) == 1 else np.concatenate(values))
        directory = os.path.dirname(prefix)
        if directory:
            tf.io.gfile.makedirs(directory)
        with tf.device("CPU:0"):
            tf.raw_ops.SaveV2(
                prefix=prefix,
                tensor_names=names,
                shape_and_slices=[sess.replicas.slices.get(name, "") for name in names],
                tensors=[tf.convert_to_tensor(t) for t in tensors],
            )
        self._keep(directory or ".", prefix)
        return prefix

    def _keep(self, directory, prefix):
        """Lists the checkpoint as the latest, then removes those beyond max_to_keep."""
        if not self._kept:
            state = tf.train.get_checkpoint_state(directory)
            for path in state.all_model_checkpoint_paths if state else ():
                if tf.io.gfile.exists(path + ".index"):
                    saved = tf.io.gfile.stat(path + ".index").mtime_nsec / 1e9
                    self._kept.append((path, saved))
        self._kept = [k for k in self._kept if k[0] != prefix]
        self._kept.append((prefix, time.time()))
        excess = len(self._kept) - self._max_to_keep if self._max_to_keep else 0
        removed = [self._kept.pop(0) for _ in range(excess)]
        # First, so that the list never names a checkpoint that is gone.
        tf.compat.v1.train.update_checkpoint_state(
            directory, prefix, [path for path, _ in self._kept]
        )
        for path, saved in removed:
            if saved > self._next_permanent:
                self._next_permanent += self._hours * 3600
                continue
            for suffix in (".index", ".meta", ".data-?????-of-?????"):
                for file in tf.io.gfile.glob(path + suffix):
                    tf.io.gfile.remove(file)

    def restore(self, sess, save_path):
        """Reads the variables from a TF1 checkpoint.

        Raises:
          ValueError: a variable is missing there or has another shape.
        """
        reader = tf.train.load_checkpoint(save_path)
        shapes = reader.get_variable_to_shape_map()
        wrong = []
        entries, slices = self._entries(sess.replicas), sess.replicas.slices
        for name, parts in entries.items():
            shape = list(parts[0].shape)
            if len(parts) > 1:
                shape[0] = sum(int(p.shape[0]) for p in parts)
            if name in slices:
                shape[0] = int(slices[name].split()[0])
            if name not in shapes:
                wrong.append(f"{name}: not in the checkpoint")
            elif list(shapes[name]) != shape:
                wrong.append(f"{name}: {shapes[name]} there, {shape} here")
        if wrong:
            raise ValueError(
                f"{save_path} does not fit this program:\n  " + "\n  ".join(wrong)
            )
        for name, parts in entries.items():
            if name in slices:
                (value,) = tf.raw_ops.RestoreV2(
                    prefix=save_path,
                    tensor_names=[name],
                    shape_and_slices=[slices[name]],
                    dtypes=[parts[0].dtype],
                )
            else:
                value = reader.get_tensor(name)
            row = 0
            for part in parts:
                rows = int(part.shape[0]) if len(parts) > 1 else None
                part.assign(value if rows is None else value[row : row + rows])
                row += rows or 0
        if hasattr(sess, "restored"):
            sess.restored()  # Where others wait for it.
        unused = sorted(set(shapes) - set(entries))
        if unused and self._var_list is None:
            tf.compat.v1.logging.info("Not restored from %s: %s", save_path, unused)


class Scaffold:
    """The parts of tf.train.Scaffold that mean something here.

    Args:
      saver: what the session restores and saves with.
      init_fn: called on the chief with (scaffold, session) where there is no checkpoint
        to continue, for instance to restore some variables from another training's.
    """

    def __init__(self, saver=None, init_fn=None, **_):
        self.saver = saver or Saver()
        self.init_fn = init_fn


# -- hooks --------------------------------------------------------------------


class _Timer:
    """Says when a hook is due: every so many steps, or seconds, and at first."""

    def __init__(self, every_secs=None, every_steps=None):
        if (every_secs is None) == (every_steps is None):
            raise ValueError("exactly one of every_secs and every_steps is needed")
        self._secs, self._steps = every_secs, every_steps
        self.last_step = self._last_time = None

    def due(self, step):
        if self.last_step is None:
            return True
        if step == self.last_step:
            return False
        if self._secs is not None:
            return time.time() >= self._last_time + self._secs
        return step >= self.last_step + self._steps

    def mark(self, step):
        """Notes that the hook acted; returns (seconds, steps) since it last did."""
        now = time.time()
        since = (
            (None, None)
            if self._last_time is None
            else (now - self._last_time, step - self.last_step)
        )
        self._last_time, self.last_step = now, step
        return since


class Hook:
    """What a session calls: begin once, before and after every run, end once.

    `step` is the global step after the run; `observed` what the step function
    gave to `observe`.
    """

    def begin(self, sess):
        pass

    def before_run(self, sess):
        pass

    def after_run(self, sess, step, results):
        pass

    def end(self, sess):
        pass


class StopAtStepHook(Hook):
    """Stops when the global step has reached `last_step`, or `num_steps` more than now."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("exactly one of num_steps and last_step is needed")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self, sess):
        step = sess.global_step()
        if self._last_step is None:
            self._last_step = step + self._num_steps

    def after_run(self, sess, step, results):
        if step >= self._last_step:
            sess.request_stop()


class LoggingTensorHook(Hook):
    """Logs observed values every so many runs of this worker, or seconds.

    Every run counts. When the one that is due does not compute the values, the next
    that does is logged.
    """

    def __init__(
        self,
        tensors,
        every_n_iter=None,
        every_n_secs=None,
        at_end=False,
        formatter=None,
    ):
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}")
        self._keys = sorted(tensors) if isinstance(tensors, dict) else list(tensors)
        self._formatter, self._at_end = formatter, at_end
        self._periodic = not (at_end and every_n_iter is None and every_n_secs is None)
        self._timer = _Timer(every_n_secs, every_n_iter) if self._periodic else None
        self._runs, self._last = 0, None

    def after_run(self, sess, step, results):
        values = results["observed"]
        if all(key in values for key in self._keys):
            self._last = {key: values[key] for key in self._keys}
            if self._periodic and self._timer.due(self._runs):
                self._log()
        self._runs += 1

    def _log(self):
        seconds = self._timer.mark(self._runs)[0] if self._periodic else None
        with np.printoptions(suppress=True):
            if self._formatter:
                text = self._formatter(self._last)
            else:
                text = ", ".join(f"{key} = {self._last[key]!s}" for key in self._keys)
                if seconds is not None:
                    text += f" ({seconds:.3f} sec)"
        tf.compat.v1.logging.info("%s", text)

    def end(self, sess):
        if self._last is None:
            tf.compat.v1.logging.warning("no run computed all of %s", self._keys)
        elif self._at_end:
            self._log()


class NanTensorHook(Hook):
    """Fails, or stops, when the observed loss is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._key, self._fail = loss_tensor, fail_on_nan_loss

    def after_run(self, sess, step, results):
        value = results["observed"].get(self._key)
        if value is not None and np.isnan(value):
            message = "Model diverged with loss = NaN."
            if self._fail:
                tf.compat.v1.logging.error(message)
                raise NanLossDuringTrainingError("NaN loss during training.")
            tf.compat.v1.logging.warning(message)
            sess.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The loss is NaN."""


class CheckpointSaverHook(Hook):
    """Saves at the start, then every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
    ):
        if listeners:
            raise ValueError("CheckpointSaverListener is not supported")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._directory = checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = _Timer(save_secs, save_steps)
        self._saver = saver or (scaffold.saver if scaffold else Saver())

    def begin(self, sess):
        self._save(sess, sess.global_step())

    def after_run(self, sess, step, results):
        if self._timer.due(step):
            self._save(sess, step)

    def end(self, sess):
        step = sess.global_step()
        if step != self._timer.last_step:
            self._save(sess, step)
        SummaryWriter.shared(self._directory).flush()

    def _save(self, sess, step):
        self._timer.mark(step)
        tf.compat.v1.logging.info(
            "Saving checkpoints for %d into %s.", step, self._path
        )
        self._saver.save(sess, self._path, step)
        SummaryWriter.shared(self._directory).add_session_log(
            tf.compat.v1.SessionLog.CHECKPOINT, step, checkpoint_path=self._path
        )


class SummarySaverHook(Hook):
    """Writes the step's summaries at the first run, then every so many steps or seconds."""

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir=None,
        summary_writer=None,
        scaffold=None,
        summary_op=None,
    ):
        self._timer = _Timer(save_secs, save_steps)
        self._key = summary_op
        self._writer = summary_writer or _writer(output_dir)
        self._started = False

    def after_run(self, sess, step, results):
        if self._writer is None:
            return
        if not self._started:
            self._started = True
            self._writer.add_session_log(tf.compat.v1.SessionLog.START, step)
        value = (
            results["observed"].get(self._key)
            if self._key
            else results.get("summaries")
        )
        if value is not None and self._timer.due(step):
            self._timer.mark(step)
            self._writer.add_summary(value, step)

    def end(self, sess):
        if self._writer is not None:
            self._writer.flush()


def _writer(directory):
    return SummaryWriter.shared(directory) if directory else None


class StepCounterHook(Hook):
    """Logs, and writes as a summary, the global steps per second."""

    def __init__(
        self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None
    ):
        self._timer = _Timer(every_n_secs, every_n_steps)
        self._writer = summary_writer or _writer(output_dir)

    def after_run(self, sess, step, results):
        if not self._timer.due(step):
            return
        seconds, steps = self._timer.mark(step)
        if seconds:
            rate = steps / seconds
            tf.compat.v1.logging.info("global_step/sec: %g", rate)
            if self._writer:
                value = tf.compat.v1.Summary.Value(
                    tag="global_step/sec", simple_value=rate
                )
                self._writer.add_summary(tf.compat.v1.Summary(value=[value]), step)

    def end(self, sess):
        if self._writer:
            self._writer.flush()


class ProfilerHook(Hook):
    """Profiles a step every so many steps or seconds; TensorBoard shows the traces."""

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir="",
        show_dataflow=True,
        show_memory=False,
    ):
        self._timer = _Timer(save_secs, save_steps)
        self._directory = output_dir or "."
        self._next, self._running = None, False

    def before_run(self, sess):
        if self._next is not None and self._timer.due(self._next):
            try:
                tf.profiler.experimental.start(self._directory)
            except tf.errors.AlreadyExistsError:
                return  # Another worker's thread is at it; try again in the next run.
            self._running = True

    def after_run(self, sess, step, results):
        if self._running:
            tf.profiler.experimental.stop()
            self._running = False
            self._timer.mark(step)
        elif self._next is None:
            self._timer.mark(step)  # TF1 traces nothing in the first run either.
        self._next = step + 1

    def end(self, sess):
        if self._running:
            tf.profiler.experimental.stop()
            self._running = False


class GlobalStepWaiterHook(Hook):
    """Starts this worker only when the global step has reached `wait_until_step`."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def before_run(self, sess):
        if self._wait_until_step <= 0:
            return
        tf.compat.v1.logging.info(
            "Waiting for global step %d before starting training.",
            self._wait_until_step,
        )
        while sess.global_step() < self._wait_until_step and not sess.should_stop():
            time.sleep(0.5)
        self._wait_until_step = 0


# -- the session --------------------------------------------------------------


class MonitoredTrainingSession:
    """Restores at the start, runs steps and hooks, saves; TF1's defaults.

    Leaving the `with` block by tf.errors.OutOfRangeError or StopIteration ends
    training quietly, as it did in TF1.

    Args:
      replicas: AsynchronousReplicas or SynchronousReplicas.
      is_chief: the chief restores, saves, and writes summaries.
      checkpoint_dir: where checkpoints are, None for none.
      scaffold, hooks, chief_only_hooks: as in TF1.
      save_checkpoint_secs, save_checkpoint_steps: default every 600 s.
      save_summaries_steps, save_summaries_secs: default every 100 steps.
      log_step_count_steps: how often the speed is logged.
      summary_dir: default `checkpoint_dir`.
    """

    def __init__(
        self,
        replicas,
        is_chief=True,
        checkpoint_dir=None,
        scaffold=None,
        hooks=None,
        chief_only_hooks=None,
        save_checkpoint_secs=_USE_DEFAULT,
        save_summaries_steps=_USE_DEFAULT,
        save_summaries_secs=_USE_DEFAULT,
        log_step_count_steps=100,
        save_checkpoint_steps=_USE_DEFAULT,
        summary_dir=None,
    ):
        self.replicas = replicas
        self._is_chief = is_chief
        self._checkpoint_dir = checkpoint_dir
        self._scaffold = scaffold or Scaffold()
        self._stop = False
        summary_dir = summary_dir or checkpoint_dir
        if save_summaries_steps is _USE_DEFAULT and save_summaries_secs is _USE_DEFAULT:
            save_summaries_steps = 100
        if (
            save_checkpoint_secs is _USE_DEFAULT
            and save_checkpoint_steps is _USE_DEFAULT
        ):
            save_checkpoint_secs = 600
        steps, secs = _given(save_summaries_steps), _given(save_summaries_secs)
        own = list(chief_only_hooks or ()) if is_chief else []
        if is_chief and summary_dir:
            if log_step_count_steps:
                own.append(
                    StepCounterHook(log_step_count_steps, output_dir=summary_dir)
                )
            if steps or secs:
                own.append(
                    SummarySaverHook(
                        None if secs else steps, secs, output_dir=summary_dir
                    )
                )
        steps, secs = _given(save_checkpoint_steps), _given(save_checkpoint_secs)
        if is_chief and checkpoint_dir and (steps or secs):
            own.append(
                CheckpointSaverHook(
                    checkpoint_dir, secs, steps, scaffold=self._scaffold
                )
            )
        self._hooks = own + list(hooks or ())
        # As in TF1 the session starts here, not where it is entered.
        replicas.restored(is_chief, self._restore)
        for hook in self._hooks:
            hook.begin(self)

    def __enter__(self):
        return self

    def _restore(self):
        latest = None
        if self._checkpoint_dir:
            latest = tf.train.latest_checkpoint(self._checkpoint_dir)
        if latest:
            tf.compat.v1.logging.info("Restoring parameters from %s", latest)
            self._scaffold.saver.restore(self, latest)
        elif self._scaffold.init_fn:
            self._scaffold.init_fn(self._scaffold, self)

    def run(self, step_function, *args):
        """Runs one step; returns its results as numpy values.

        Raises:
          RuntimeError: a hook has asked to stop.
        """
        if self._stop:
            raise RuntimeError("Run called even after should_stop requested.")
        for hook in self._hooks:
            hook.before_run(self)
        results = self.replicas.call(step_function, step_function.feed(args))
        step = results.get("global_step", 0)
        for hook in self._hooks:
            hook.after_run(self, step, results)
        return results["fetches"]

    def global_step(self):
        """The global step's present value.

        Raises:
          RuntimeError: the program has none.
        """
        variable = self.replicas.global_step
        if variable is None:
            raise RuntimeError("Global step should be created first.")
        return variable.numpy()

    def should_stop(self):
        return self._stop or self.replicas.failed.is_set()

    def request_stop(self):
        self._stop = True

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, exception_type, exception, traceback):
        quiet = (tf.errors.OutOfRangeError, StopIteration)
        if exception_type is None or issubclass(exception_type, quiet):
            self._stop = True
            for hook in self._hooks:
                hook.end(self)
            self.replicas.ended()
            return True
        return False


def _given(value):
    return None if value is _USE_DEFAULT or not value or value < 0 else value
