"""What tf.estimator did beside the training of a Keras model, as callbacks of `fit`.

Written beside your program by tf1to2; it is yours to read and change. It needs TensorFlow
2.15 or later, and tf_keras.
"""

import atexit
import concurrent.futures
import contextlib
import os
import sys
import time

import numpy as np
import tensorflow as tf
import tf_keras

v1 = tf.compat.v1


def join_cluster(cluster, task):
    """The resolver, in the task that coordinates; another serves, and ends with training.

    The coordinator is the chief, or worker 0 without one; it is a worker, too, as in TF1.
    """
    chief = cluster.get("chief") or cluster.get("master", [])
    job, index = task["type"], task["index"]
    jobs = {"worker": chief + cluster.get("worker", []), "ps": cluster["ps"]}
    if job != "ps":
        job, index = "worker", index + (len(chief) if job == "worker" else 0)
    # Threads enough to serve and to compute at once.
    config = v1.ConfigProto(inter_op_parallelism_threads=max(8, os.cpu_count()))
    server = tf.distribute.Server(jobs, job, index, config=config)
    if (job, index) != ("worker", 0):
        code = _use_queue(server.target, job, index, lambda queue: queue.dequeue())
        time.sleep(1)  # The coordinator is answered before this process is gone.
        os._exit(code)  # A server's threads cannot be stopped.
    for job, addresses in jobs.items():
        for i, address in enumerate(addresses):
            if (job, i) != ("worker", 0):
                atexit.register(_use_queue, f"grpc://{address}", job, i, _tell_outcome)
    spec = tf.train.ClusterSpec(jobs)
    return tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc")


def _tell_outcome(queue):
    return queue.enqueue(int(hasattr(sys, "last_type")))  # Whether training failed.


def _use_queue(target, job, index, operation):
    """Runs an operation on the queue by which a task is told how training ended."""
    device = f"/job:{job}/task:{index}"
    config = v1.ConfigProto(device_filters=[device])
    with tf.Graph().as_default(), tf.device(device):
        queue = tf.queue.FIFOQueue(1, [tf.int32], [()], shared_name="training_ended")
        with v1.Session(target, config=config) as session:
            return session.run(operation(queue))


def whole_input(strategy, input_fn, steps=None):
    """What `fit` takes of an input that each worker reads, and how many steps.

    Where `steps` is None, the workers read their inputs to the end.
    """
    workers = getattr(strategy.extended, "_num_workers", 0)
    if not workers:
        return input_fn(), steps
    if steps is None:  # In a cluster, `fit` must be told how many there are.
        batches = workers * sum(1 for _ in input_fn())
        steps = -(-batches // strategy.num_replicas_in_sync)
    creator = tf_keras.utils.experimental.DatasetCreator
    return creator(lambda context: input_fn().repeat()), steps


@contextlib.contextmanager
def as_in_tf1():
    """Inside, a model is made as in a graph of TensorFlow 1.

    Names are counted from the beginning, and so is the global step; layers compute in the
    dtype of their input; a seed draws the same first values whenever it is used.
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

    graph = v1.get_default_graph()
    graph.clear_collection(v1.GraphKeys.GLOBAL_STEP)
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
        graph.clear_collection(v1.GraphKeys.GLOBAL_STEP)


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
    """Gives a model the values of the latest checkpoint, if there is one; the model."""
    path = tf.train.latest_checkpoint(model_dir)
    if path:
        reader = tf.train.load_checkpoint(path)
        for name, variable in saved_variables(model).items():
            variable.assign(reader.get_tensor(name))
    return model


class Checkpoints(tf_keras.callbacks.Callback):
    """Begins at the latest, saves at first, every so often, and at the end; keeps a few.

    `after_save` is then called with the step, and whether it is the last.
    """

    def __init__(
        self, model_dir, save_secs=600, save_steps=None, keep=5, after_save=None
    ):
        super().__init__()
        self._supports_tf_logs = True  # Also where workers make steps by themselves.
        self._directory, self._keep, self._after_save = model_dir, keep, after_save
        self._secs, self._steps, self._saved = save_secs, save_steps, None

    def on_train_begin(self, logs=None):
        restore(self.model, self._directory)
        state = tf.train.get_checkpoint_state(self._directory)
        paths = state.all_model_checkpoint_paths if state else ()
        self._kept = [os.path.basename(path) for path in paths]
        self._begin = int(self.model.optimizer.iterations.numpy())
        self._save(self._begin)

    def on_train_batch_end(self, batch, logs=None):
        step = self._begin + batch + 1
        if self._steps:
            due = step >= self._saved + self._steps
        else:
            due = time.time() >= self._time + self._secs
        if due:
            self._save(step)

    def on_train_end(self, logs=None):
        self._save(int(self.model.optimizer.iterations.numpy()), last=True)
        self.model.train_function = None  # Seeds begin anew with another training.

    def _save(self, step, last=False):
        strategy = self.model.distribute_strategy
        if strategy._should_use_with_coordinator:
            tf.distribute.coordinator.ClusterCoordinator(strategy).join()
        if strategy.extended.should_checkpoint:
            if step != self._saved:
                self._write(f"model.ckpt-{step}")
            if self._after_save and (last or step > self._begin):
                self._after_save(step, last)
        self._saved, self._time = step, time.time()

    def _write(self, name):
        variables = saved_variables(self.model)
        tf.io.gfile.makedirs(self._directory)
        tf.raw_ops.SaveV2(
            prefix=os.path.join(self._directory, name),
            tensor_names=list(variables),
            shape_and_slices=[""] * len(variables),
            tensors=[tf.constant(v.numpy()) for v in variables.values()],
        )
        every = [old for old in self._kept if old != name] + [name]
        self._kept = every[-self._keep :] if self._keep else [name]
        lines = [f'model_checkpoint_path: "{name}"']
        lines += [f'all_model_checkpoint_paths: "{old}"' for old in self._kept]
        path = os.path.join(self._directory, "checkpoint")
        with tf.io.gfile.GFile(path + ".tmp", "w") as file:
            file.write("\n".join(lines))
        tf.io.gfile.rename(path + ".tmp", path, overwrite=True)
        for old in every[: -self._keep] if self._keep else ():
            for path in tf.io.gfile.glob(os.path.join(self._directory, old + ".*")):
                tf.io.gfile.remove(path)


class Evaluation:
    """Evaluates checkpoints, but not too often, and the last.

    `model` is a copy of what is trained, in this process alone.
    """

    def __init__(
        self, model, model_dir, input_fn, steps=100, throttle_secs=600, name=None
    ):
        self.model, self.model_dir, self._input_fn = model, model_dir, input_fn
        self._steps, self._throttle_secs, self._name = steps, throttle_secs, name
        self.metrics, self.exports, self.step, self._next = None, [], None, 0

    def __call__(self, step, last):
        if step != self.step and (last or time.time() >= self._next):
            self.step, self._next = step, time.time() + self._throttle_secs
            # In a thread of its own, which is not in the strategy's scope as `fit` is.
            with concurrent.futures.ThreadPoolExecutor(1) as thread:
                thread.submit(self.evaluate).result()

    def evaluate(self):
        restore(self.model, self.model_dir)
        data = self._input_fn()
        self.metrics = self.model.evaluate(
            data if self._steps is None else data.take(self._steps),
            verbose=0,
            return_dict=True,
            callbacks=[Progress(self.model_dir, name=self._name)],
        )

    @property
    def results(self):
        """What train_and_evaluate returned: None, where another process has it."""
        if self.metrics is None:
            return None if "TF_CONFIG" in os.environ else (None, [])
        return with_step(self.model, self.metrics), self.exports


class EvaluationAndExport(Evaluation):
    """Calls exporters after each evaluation, as TF1's: with what exports and evaluated.

    Args:
      exporters: one, or several.
      max_steps: the step with which training ends.
      The others: as those of Evaluation.
    """

    def __init__(self, *args, exporters, max_steps=None, **kwargs):
        super().__init__(*args, **kwargs)
        several = isinstance(exporters, (list, tuple))
        self._exporters = exporters if several else [exporters]
        self._max_steps = max_steps

    def evaluate(self):
        super().evaluate()
        last = bool(self._max_steps) and self.step >= self._max_steps
        path = tf.train.latest_checkpoint(self.model_dir)
        self.exports = []
        for one in self._exporters:
            directory = os.path.join(self.model_dir, "export", one.name)
            found = with_step(self.model, self.metrics)
            self.exports.append(one.export(self, directory, path, found, last))

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn, **_):
        """Writes what was evaluated last: exporters ask for it."""
        return export_saved_model(
            self.model, export_dir_base, serving_input_receiver_fn
        )


def export_saved_model(model, export_dir_base, serving_input_receiver_fn):
    """Writes a SavedModel of predictions; its directory, as bytes.

    Args:
      export_dir_base: where directories are made that are named by the time.
      serving_input_receiver_fn: makes placeholders, and features of them.
    """
    built = {}

    def build():
        receiver = serving_input_receiver_fn()
        predictions = model.predict_step((receiver.features,))
        built["received"] = dict(receiver.receiver_tensors)
        default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        outputs = {default: predictions}
        if hasattr(model, "export_outputs"):
            found = model.export_outputs(predictions)
            outputs = {key: output.outputs for key, output in found.items()}
            if len(outputs) == 1:
                outputs[default] = next(iter(outputs.values()))
        built["given"] = {
            key: value if isinstance(value, dict) else {"output": value}
            for key, value in outputs.items()
        }

    graph = v1.wrap_function(build, [])
    names, received = zip(*built["received"].items())
    specs = {
        n: tf.TensorSpec(t.shape, t.dtype, n) for n, t in built["received"].items()
    }
    signatures = {}
    for key, outputs in built["given"].items():
        pruned = graph.prune(list(received), outputs)

        def answer(pruned=pruned, **given):
            return pruned(*(given[name] for name in names))

        signatures[key] = tf.function(answer).get_concrete_function(**specs)
    root = tf.Module()
    root.saved, root.answers = model.weights, signatures
    directory = os.path.join(
        tf.compat.as_str_any(export_dir_base), str(int(time.time()))
    )
    while tf.io.gfile.exists(directory):
        directory = os.path.join(os.path.dirname(directory), str(int(time.time())))
    tf.saved_model.save(root, directory, signatures=signatures)
    return directory.encode()


def with_step(model, results):
    """Results of `evaluate` as TF1 gave them: float32, and the global step among them."""
    found = {k: np.float32(v) if np.ndim(v) == 0 else v for k, v in results.items()}
    return {**found, "global_step": model.optimizer.iterations.numpy()}


class Progress(tf_keras.callbacks.Callback):
    """Logs what a step, or an evaluation, gives, and writes it for TensorBoard."""

    def __init__(self, model_dir, every_steps=100, name=None):
        super().__init__()
        self._supports_tf_logs = True  # Also where workers make steps by themselves.
        self._directory, self._every = model_dir, every_steps
        self._of_evaluation = f"eval_{name}" if name else "eval"

    def on_train_batch_end(self, batch, logs=None):
        due = self._every and batch % self._every == 0
        if hasattr(logs, "fetch"):  # Of a step that may still be made.
            logs = logs.fetch() if due else {"loss": 0.0}
        if np.isnan(logs["loss"]):
            raise FloatingPointError("NaN loss during training.")
        if due:
            self._tell(logs, "")
            if type(self.model).train_step is tf_keras.Model.train_step:
                self.model.reset_metrics()  # Its losses are means since then.

    def on_test_end(self, logs=None):
        self._tell(logs, self._of_evaluation)

    def _tell(self, values, within):
        if not self.model.distribute_strategy.extended.should_checkpoint:
            return
        step = int(self.model.optimizer.iterations.numpy())
        values = {k: float(v) for k, v in values.items() if np.ndim(v) == 0}
        v1.logging.info("%s step %d: %s", within, step, values)
        path = os.path.join(self._directory, within)
        with tf.Graph().as_default():  # In eager mode there is no such writer.
            writer = v1.summary.FileWriterCache.get(path)
        told = [v1.Summary.Value(tag=k, simple_value=v) for k, v in values.items()]
        writer.add_summary(v1.Summary(value=told), step)
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


def steps_left(model_dir, max_steps):
    """How many steps are left to a global step; None, without end, where that is None."""
    if max_steps is None:
        return None
    path = tf.train.latest_checkpoint(model_dir)
    made = int(tf.train.load_variable(path, "global_step")) if path else 0
    return max(max_steps - made, 0)


class Logging(tf_keras.callbacks.Callback):
    """Logs values of steps, every so many steps or seconds: TF1's LoggingTensorHook.

    Args:
      tensors: by what they are called in the log, keys of what a step returns, or
        functions that give them.
      every_n_iter, every_n_secs: how often; at first, too.
      at_end: whether the last are logged.
      formatter: makes the line of the values.
    """

    def __init__(
        self,
        tensors,
        every_n_iter=None,
        every_n_secs=None,
        at_end=False,
        formatter=None,
    ):
        super().__init__()
        self._tensors, self._at_end, self._formatter = tensors, at_end, formatter
        self._steps, self._secs = every_n_iter, every_n_secs

    def on_train_begin(self, logs=None):
        self._last, self._time = None, 0

    def on_train_batch_end(self, batch, logs=None):
        self._values = {
            name: key() if callable(key) else logs[key]
            for name, key in self._tensors.items()
        }
        if self._steps is not None:
            due = self._last is None or batch >= self._last + self._steps
        else:
            due = self._secs is not None and time.time() >= self._time + self._secs
        if due:
            self._log()
            self._last, self._time = batch, time.time()

    def on_train_end(self, logs=None):
        if self._at_end:
            self._log()

    def _log(self):
        values = {name: np.asarray(v)[()] for name, v in self._values.items()}
        if self._formatter:
            text = self._formatter(values)
        else:
            text = ", ".join(f"{name} = {values[name]}" for name in values)
        v1.logging.info("%s", text)
