"""What tf.estimator did beside the training of a Keras model, as callbacks of `fit`.

Written beside your program by tf1to2; it is yours to read and change. It needs TensorFlow
2.15 or later, and tf_keras.
"""

import atexit
import concurrent.futures
import contextlib
import os
import time

import numpy as np
import tensorflow as tf
import tf_keras

v1 = tf.compat.v1
_logging = v1.logging


def join_cluster(cluster, task):
    """The resolver, in the task that coordinates; another serves, and ends with training.

    The coordinator is the chief, or worker 0 without one; it is a worker, too, as in TF1.

    Args:
      cluster, task: of this process, from TF_CONFIG.
    """
    chief, job, index = cluster.get("chief", []), task["type"], task["index"]
    tasks = {"worker": chief + cluster.get("worker", []), "ps": cluster["ps"]}
    if job != "ps":
        job, index = "worker", index + (len(chief) if job == "worker" else 0)
    # Threads enough to serve and to compute at once.
    config = v1.ConfigProto(inter_op_parallelism_threads=max(8, os.cpu_count()))
    server = tf.distribute.Server(tasks, job, index, config=config)
    if (job, index) != ("worker", 0):
        _training_ended(server.target, job, index, lambda queue: queue.dequeue())
        time.sleep(1)  # The coordinator is answered before this process is gone.
        os._exit(0)  # A server's threads cannot be stopped.
    for job, addresses in tasks.items():
        for i, address in enumerate(addresses):
            if (job, i) != ("worker", 0):
                target, tell = f"grpc://{address}", lambda queue: queue.enqueue(True)
                atexit.register(_training_ended, target, job, i, tell)
    tasks = tf.train.ClusterSpec(tasks)
    return tf.distribute.cluster_resolver.SimpleClusterResolver(tasks, rpc_layer="grpc")


def _training_ended(target, job, index, operation):
    """Runs an operation on a task's queue that says whether training has ended."""
    device = f"/job:{job}/task:{index}"
    config = v1.ConfigProto(device_filters=[device])
    with tf.Graph().as_default(), tf.device(device):
        queue = tf.queue.FIFOQueue(1, [tf.bool], [()], shared_name="training_ended")
        with v1.Session(target, config=config) as session:
            session.run(operation(queue))


def whole_input(strategy, input_fn):
    """What `fit` takes where each worker reads its input to the end, and steps or None."""
    workers = getattr(strategy.extended, "_num_workers", 0)
    if not workers:
        return input_fn(), None
    steps = sum(1 for _ in input_fn())
    if strategy._should_use_with_coordinator:  # Each worker makes steps of its own.
        steps *= workers
    creator = tf_keras.utils.experimental.DatasetCreator
    return creator(lambda context: input_fn().repeat()), steps


@contextlib.contextmanager
def as_in_tf1():
    """Inside, a model is made as in a graph of TensorFlow 1.

    Names are counted from the beginning, layers compute in the dtype of their input, and
    a seed draws the same first values whenever it is used.
    """
    # What Keras itself calls TF1's way: see tf.compat.v1.keras.
    from tf_keras.api._v1.keras import layers

    precision = tf_keras.mixed_precision
    policy, unseeded = precision.global_policy(), v1.get_seed(0)[0] == 87654321

    def create(next_creator, **kwargs):
        if kwargs.get("aggregation") == tf.VariableAggregation.MEAN:
            # Averages of batches are kept equal: the chief saves them alone.
            kwargs["synchronization"] = tf.VariableSynchronization.AUTO
        if callable(kwargs["initial_value"]):  # Drawn here, not by a server.
            kwargs["initial_value"] = kwargs["initial_value"]()
        if unseeded:  # An eager operation goes on where the last of its seed ended.
            tf.random.set_seed(None)
        return next_creator(**kwargs)

    tf_keras.backend.reset_uids()
    if policy.name == tf_keras.backend.floatx():
        precision.set_global_policy("_infer")
    layers.disable_v2_dtype_behavior()
    try:
        with tf.variable_creator_scope(create):
            yield
    finally:
        layers.enable_v2_dtype_behavior()
        precision.set_global_policy(policy)


def inputs_of(dataset):
    """Symbolic features, as a dataset of them, or of features and labels, gives them."""
    spec = dataset.element_spec

    def symbolic(part):
        if isinstance(part, tf.TensorSpec) and part.shape.rank:  # Batches of any size.
            part = tf.TensorSpec([None, *part.shape[1:]], part.dtype)
        return tf_keras.Input(type_spec=part)

    return tf.nest.map_structure(symbolic, spec[0] if isinstance(spec, tuple) else spec)


def saved_variables(model):
    """What checkpoints hold, under TF1's names: weights, slots and the global step."""
    counted = {id(v) for metric in model.metrics for v in metric.variables}
    optimizer = model.optimizer.optimizer
    v1.get_default_graph().clear_collection(("__varscope",))  # It numbers slots.
    with model.distribute_strategy.scope():
        optimizer._create_slots(model.trainable_variables)
    saved = [v for v in model.weights if id(v) not in counted] + optimizer.variables()
    named = {v.name.partition(":")[0]: v for v in saved}
    return {**named, "global_step": model.optimizer.iterations}


def restore(model, model_dir):
    """Gives a model the values of the latest checkpoint, if there is one; the step."""
    path = tf.train.latest_checkpoint(model_dir)
    if path:
        reader = tf.train.load_checkpoint(path)
        for name, variable in saved_variables(model).items():
            variable.assign(reader.get_tensor(name))
    return int(model.optimizer.iterations.numpy())


class Checkpoints(tf_keras.callbacks.Callback):
    """Saves at the start, every so many steps or seconds, and at the end.

    Args:
      model_dir: the directory.
      save_secs, save_steps: how often; one of them.
      keep: how many checkpoints are kept.
      after_save: is called with the step, and whether it is the last.
    """

    def __init__(
        self, model_dir, save_secs=None, save_steps=None, keep=5, after_save=None
    ):
        super().__init__()
        self._supports_tf_logs = True  # Also where workers make steps by themselves.
        self._directory, self._keep, self._after_save = model_dir, keep, after_save
        self._secs, self._steps = save_secs, save_steps

    def on_train_begin(self, logs=None):
        state = tf.train.get_checkpoint_state(self._directory)
        paths = state.all_model_checkpoint_paths if state else ()
        self._kept = [os.path.basename(path) for path in paths]
        self._begin = int(self.model.optimizer.iterations.numpy())
        self._save(self._begin)

    def on_train_batch_end(self, batch, logs=None):
        step = self._begin + batch + 1
        if (
            step >= self._saved + self._steps
            if self._steps
            else time.time() >= self._time + self._secs
        ):
            self._save(step)
            if self._after_save:
                self._after_save(step, last=False)

    def on_train_end(self, logs=None):
        step = int(self.model.optimizer.iterations.numpy())
        if step != self._saved:
            self._save(step)
        if self._after_save:
            self._after_save(step, last=True)
        self.model.train_function = None  # Seeds begin anew with another training.

    def _save(self, step):
        self._saved, self._time = step, time.time()
        strategy = self.model.distribute_strategy
        if strategy._should_use_with_coordinator:
            tf.distribute.coordinator.ClusterCoordinator(strategy).join()
        if not strategy.extended.should_checkpoint:
            return
        variables, name = saved_variables(self.model), f"model.ckpt-{step}"
        _logging.info("Saving %s in %s.", name, self._directory)
        tf.io.gfile.makedirs(self._directory)
        tf.raw_ops.SaveV2(
            prefix=os.path.join(self._directory, name),
            tensor_names=list(variables),
            shape_and_slices=[""] * len(variables),
            tensors=[tf.constant(v.numpy()) for v in variables.values()],
        )
        self._kept = [kept for kept in self._kept if kept != name] + [name]
        gone, self._kept = self._kept[: -self._keep], self._kept[-self._keep :]
        lines = [f'model_checkpoint_path: "{name}"']
        lines += [f'all_model_checkpoint_paths: "{kept}"' for kept in self._kept]
        path = os.path.join(self._directory, "checkpoint")
        with tf.io.gfile.GFile(path + ".tmp", "w") as file:
            file.write("\n".join(lines) + "\n")
        tf.io.gfile.rename(path + ".tmp", path, overwrite=True)
        for old in gone:
            for path in tf.io.gfile.glob(os.path.join(self._directory, old + ".*")):
                tf.io.gfile.remove(path)


class Evaluation:
    """Evaluates checkpoints, but not too often, and the last.

    Args:
      model: a copy of what is trained, in this process alone.
      model_dir: where the checkpoints are.
      input_fn: gives the data.
      steps: how many batches; None for all.
      throttle_secs: how long after an evaluation there is no other.
    """

    def __init__(self, model, model_dir, input_fn, steps=None, throttle_secs=600):
        self._model, self._directory, self._input_fn = model, model_dir, input_fn
        self._steps, self._throttle_secs = steps, throttle_secs
        self.metrics, self._step, self._next = None, None, 0

    @property
    def results(self):
        """What train_and_evaluate returned."""
        return self.metrics, []

    def __call__(self, step, last):
        if step != self._step and (last or time.time() >= self._next):
            self._step, self._next = step, time.time() + self._throttle_secs
            # In a thread of its own, which is not in the strategy's scope as `fit` is.
            with concurrent.futures.ThreadPoolExecutor(1) as thread:
                self.metrics = thread.submit(self._evaluate).result()

    def _evaluate(self):
        restore(self._model, self._directory)
        data = self._input_fn()
        results = self._model.evaluate(
            data if self._steps is None else data.take(self._steps),
            verbose=0,
            return_dict=True,
            callbacks=[Progress(self._directory)],
        )
        return with_step(self._model, results)


def with_step(model, results):
    """Results of `evaluate` as TF1 gave them: float32, and the global step among them."""
    found = {k: np.float32(v) if np.ndim(v) == 0 else v for k, v in results.items()}
    return {**found, "global_step": model.optimizer.iterations.numpy()}


class Progress(tf_keras.callbacks.Callback):
    """Logs what a step, or an evaluation, gives, and writes it for TensorBoard.

    Args:
      model_dir: where events are written; of evaluations in `eval` below it.
      every_steps: how often in training.
      name: of evaluations.
    """

    def __init__(self, model_dir, every_steps=100, name=None):
        super().__init__()
        self._supports_tf_logs = True  # Also where workers make steps by themselves.
        self._directory, self._every = model_dir, every_steps
        self._of_evaluation = f"eval_{name}" if name else "eval"

    def on_train_batch_end(self, batch, logs=None):
        if batch % self._every == 0:
            self._tell(logs.fetch() if hasattr(logs, "fetch") else logs)

    def on_test_end(self, logs=None):
        self._tell(logs, self._of_evaluation)

    def _tell(self, values, within=""):
        if not self.model.distribute_strategy.extended.should_checkpoint:
            return
        step = int(self.model.optimizer.iterations.numpy())
        values = {k: float(v) for k, v in values.items() if np.ndim(v) == 0}
        _logging.info("step %d %s: %s", step, within, values)
        with tf.Graph().as_default():  # In eager mode there is no such writer.
            path = os.path.join(self._directory, within)
            writer = v1.summary.FileWriterCache.get(path)
        for tag, value in values.items():
            one = v1.Summary.Value(tag=tag, simple_value=value)
            writer.add_summary(v1.Summary(value=[one]), step)
        writer.flush()


def predictions(model, dataset):
    """What a model predicts of each example, in turn."""
    for batch in dataset:
        features = batch[0] if isinstance(batch, tuple) else batch
        found = model.predict_on_batch(features)
        if isinstance(found, dict):
            for values in zip(*found.values()):
                yield dict(zip(found, values))
        else:
            yield from found


def steps_left(model, max_steps):
    """How many steps are left to a global step; None, without end, where that is None."""
    if max_steps is None:
        return None
    return max(max_steps - int(model.optimizer.iterations.numpy()), 0)
