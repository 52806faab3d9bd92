"""Callbacks for what tf.estimator did. Written by tf1to2; yours to read and change."""

import atexit
import contextlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as v1
import tf_keras

tf.get_logger().addFilter(lambda r: "Saver is depr" not in str(r.msg))  # Of names.


def join_cluster(cluster, task):
    """The resolver, in the chief or else worker 0, which computes, too; others serve it."""
    workers = sum((cluster.get(j, []) for j in ("chief", "master", "worker")), [])
    spec = tf.train.ClusterSpec({"worker": workers, "ps": cluster["ps"]})
    job = "ps" if task["type"] == "ps" else "worker"
    index = spec.job_tasks(job).index(cluster[task["type"]][task["index"]])
    # Threads enough to serve and to compute at once.
    config = v1.ConfigProto(inter_op_parallelism_threads=max(8, os.cpu_count()))
    server = tf.distribute.Server(spec, job, index, config=config)
    own, hub = f"/job:{job}/task:{index}", "/job:worker/task:0"
    with tf.Graph().as_default() as graph, tf.device(hub):
        end = tf.queue.FIFOQueue(999, [tf.int32], [()], shared_name="training_ended")
        here = tf.queue.FIFOQueue(999, [tf.int32], [()], shared_name="tasks_here")
        heard, come, code = end.dequeue(), here.enqueue(0), v1.placeholder(tf.int32, [])
        tell = end.enqueue_many([tf.fill([999], code)])
        all_here = here.dequeue_many(len(workers + cluster["ps"]) - 1)
    link = v1.Session(server.target, graph, v1.ConfigProto(device_filters=[own, hub]))
    if own != hub:
        os._exit(link.run([heard, come])[0])  # A server's threads do not stop.
    link.run(all_here)  # Steps fail while gRPC backs off from a refused connection.
    atexit.register(time.sleep, 1)  # The others hear how it ended before it is gone.
    atexit.register(lambda: link.run(tell, {code: int(hasattr(sys, "last_type"))}))
    return tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc")


def whole_input(strategy, read, steps=None):
    """What `fit` takes of an input that each worker reads, and how many steps that is."""
    tasks = getattr(strategy.extended, "_num_workers", 0)
    if not tasks:
        return read(), steps
    if steps is None:  # In a cluster, `fit` must be told how many there are.
        steps = -(-tasks * sum(1 for _ in read()) // strategy.num_replicas_in_sync)
    return tf_keras.utils.experimental.DatasetCreator(lambda _: read().repeat()), steps


@contextlib.contextmanager
def as_in_tf1():
    """Inside, a model is made as in a graph of TensorFlow 1.

    Names are counted from the beginning, and so is the global step; layers compute in the
    dtype of their input; a seed draws the same first values whenever it is used.
    """
    from tf_keras.api._v1.keras import layers  # What tf.compat.v1.keras is.

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
    told = {id(v) for metric in model.metrics for v in metric.variables}
    opt, scope = model.optimizer, model.distribute_strategy.scope
    v1.get_default_graph().clear_collection(("__varscope",))  # It numbers slots.
    with scope(), getattr(model, "optimizer_scope", scope)():
        opt.optimizer._create_slots(model.trainable_variables)
    kept = [v for v in model.weights if id(v) not in told] + opt.optimizer.variables()
    return {v.name.partition(":")[0]: v for v in kept} | {"global_step": opt.iterations}


def restore(model, model_dir):
    """Gives a model the values of the latest checkpoint, if there is one; the model."""
    if path := tf.train.latest_checkpoint(model_dir):
        for name, variable in saved_variables(model).items():
            variable.assign(tf.train.load_variable(path, name))
    return model


class Training(tf_keras.callbacks.Callback):
    """Begins at the latest checkpoint, logs, saves, and calls `evaluation(step, last)`."""

    def __init__(self, model_dir, evaluation=None, log_steps=100, keep=5, **every):
        super().__init__()
        self._supports_tf_logs, self._max = True, keep  # Also where workers make steps.
        self._dir, self._evaluation, self._log_steps = model_dir, evaluation, log_steps
        self._timer = v1.train.SecondOrStepTimer(**every or {"every_secs": 600})

    def on_train_begin(self, logs=None):
        self._begin = int(restore(self.model, self._dir).optimizer.iterations.numpy())
        self._save(self._begin)

    def on_train_batch_end(self, batch, logs=None):
        due = self._log_steps and batch % self._log_steps == 0
        if hasattr(logs, "fetch"):  # Of a step that may still be made.
            logs = logs.fetch() if due else {"loss": 0.0}
        if np.isnan(logs["loss"]):
            raise FloatingPointError("NaN loss during training.")
        if due:
            write_summary(self.model, self._dir, "", logs)
            if type(self.model).train_step is tf_keras.Model.train_step:
                self.model.reset_metrics()  # Its losses are means since then.
        if self._timer.should_trigger_for_step(self._begin + batch + 1):
            self._save(self._begin + batch + 1)

    def on_train_end(self, logs=None):
        self._save(int(self.model.optimizer.iterations.numpy()), last=True)
        self.model.train_function = None  # Seeds begin anew with another training.

    def _save(self, step, last=False):
        strategy = self.model.distribute_strategy
        if strategy._should_use_with_coordinator:
            tf.distribute.coordinator.ClusterCoordinator(strategy).join()
        if strategy.extended.should_checkpoint:
            saved = {name: v.numpy() for name, v in saved_variables(self.model).items()}
            ThreadPoolExecutor(1).submit(self._write, step, last, saved).result()
        self._timer.update_last_triggered_step(step)

    def _write(self, step, last, saved):  # A thread is in no strategy's scope.
        if step != self._timer.last_triggered_step():
            now = {name: tf.Variable(value) for name, value in saved.items()}
            saver = v1.train.Saver(now, max_to_keep=self._max, save_relative_paths=True)
            if state := tf.train.get_checkpoint_state(self._dir):
                saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
            tf.io.gfile.makedirs(self._dir)
            saver.save(None, os.path.join(self._dir, "model.ckpt"), step)
        if self._evaluation and (last or step > self._begin):
            self._evaluation(step, last)


class Evaluation:
    """Evaluates a copy of the model in this process: not too often, and at the end."""

    def __init__(self, model, model_dir, data, steps=100, throttle_secs=600, name=None):
        self.model, self.model_dir, self._data = model, model_dir, data
        self._steps, self._name = steps, f"eval_{name}" if name else "eval"
        self._secs, self._next, self.step, self.metrics = throttle_secs, 0, None, None

    def __call__(self, step, last):
        if step != self.step and (last or time.time() >= self._next):
            self.step, self._next = step, time.time() + self._secs
            data = self._data().take(-1 if self._steps is None else self._steps)
            model = restore(self.model, self.model_dir)
            self.metrics = model.evaluate(data, verbose=0, return_dict=True)
            write_summary(model, self.model_dir, self._name, self.metrics)


class EvaluationAndExport(Evaluation):
    """Calls exporters after each evaluation, as TF1's: with what exports and evaluated.

    Args:
      exporters: one, or several.
      max_steps: the step with which training ends.
      The others: as those of Evaluation.
    """

    def __init__(self, *args, exporters=(), max_steps=None, **kwargs):
        super().__init__(*args, **kwargs)
        several = isinstance(exporters, (list, tuple))
        self._exporters = exporters if several else [exporters]
        self._max_steps, self._exported = max_steps, []

    def __call__(self, step, last):
        before = self.step
        super().__call__(step, last)
        if self.step == before:
            return
        last = bool(self._max_steps) and step >= self._max_steps
        path = tf.train.latest_checkpoint(self.model_dir)
        self._exported = []
        for one in self._exporters:
            directory = os.path.join(self.model_dir, "export", one.name)
            found = with_step(self.model, self.metrics)
            self._exported.append(one.export(self, directory, path, found, last))

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn, **_):
        """Writes what was evaluated last: exporters ask for it."""
        return export_saved_model(
            self.model, export_dir_base, serving_input_receiver_fn
        )

    @property
    def results(self):
        """What train_and_evaluate returned: None, where another process has it."""
        if self.metrics is None:
            return None if "TF_CONFIG" in os.environ else (None, [])
        return with_step(self.model, self.metrics), self._exported


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

    def sign(outputs):
        pruned = graph.prune(list(received), outputs)
        answer = tf.function(lambda **given: pruned(*(given[name] for name in names)))
        return answer.get_concrete_function(**specs)

    signatures = {key: sign(outputs) for key, outputs in built["given"].items()}
    root = tf.Module()
    tables = [getattr(part, "_resources", {}) for part in model.submodules]  # Of words.
    root.saved, root.answers = [model.weights, tables], signatures
    directory = os.path.join(
        tf.compat.as_str_any(export_dir_base), str(int(time.time()))
    )
    while tf.io.gfile.exists(directory):
        directory = os.path.join(os.path.dirname(directory), str(int(time.time())))
    tf.saved_model.save(root, directory, signatures=signatures)
    return directory.encode()


def with_step(model, results):
    """Results of `evaluate` as TF1 gave them: sorted, float32, and the global step last."""
    found = {k: v if np.ndim(v) else np.float32(v) for k, v in sorted(results.items())}
    return {**found, "global_step": model.optimizer.iterations.numpy()}


def write_summary(model, model_dir, name, values):
    """Logs what a step, or the evaluation of a name, gives, and writes it to its events."""
    if model.distribute_strategy.extended.should_checkpoint:
        step = int(model.optimizer.iterations.numpy())
        values = {k: float(v) for k, v in values.items() if np.ndim(v) == 0}
        v1.logging.info("%s step %d: %s", name, step, values)
        with tf.Graph().as_default():  # In eager mode there is no such writer.
            writer = v1.summary.FileWriterCache.get(os.path.join(model_dir, name))
        told = [v1.Summary.Value(tag=k, simple_value=v) for k, v in values.items()]
        writer.add_summary(v1.Summary(value=told), step)
        writer.flush()


class Evaluated(tf_keras.callbacks.Callback):
    """Logs what an evaluation gives, and writes it for TensorBoard."""

    def __init__(self, model_dir, name=None):
        super().__init__()
        self._directory, self._name = model_dir, f"eval_{name}" if name else "eval"

    def on_test_end(self, logs=None):
        write_summary(self.model, self._directory, self._name, logs)


def predictions(model, dataset, keys=None):
    """What a model predicts of each example, in turn: all, or what `keys` has."""
    for batch in dataset:
        features = batch[0] if isinstance(batch, tuple) else batch
        found = model.predict_on_batch(features)
        if keys:
            known = found if isinstance(found, dict) else {}
            found = {key: value for key, value in known.items() if key in keys}
            if not found:
                raise ValueError(f"None of its predictions, {[*known]}, is in {keys}.")
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


class EachStep(tf_keras.callbacks.Callback):
    """Tells callbacks of each step, and waits for its values first: a worker may make it.

    With parameter servers `fit` takes no callback of single steps that does not wait.
    """

    def __init__(self, *callbacks):
        super().__init__()
        self._supports_tf_logs, self._told = True, callbacks

    def set_model(self, model):
        super().set_model(model)
        for callback in self._told:
            callback.set_model(model)

    def on_train_begin(self, logs=None):
        for callback in self._told:
            callback.on_train_begin(logs)

    def on_train_batch_begin(self, batch, logs=None):
        for callback in self._told:
            callback.on_train_batch_begin(batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        values = values_of(logs)
        for callback in self._told:
            callback.on_train_batch_end(batch, values)

    def on_train_end(self, logs=None):
        for callback in self._told:
            callback.on_train_end(logs)


def values_of(logs):
    """A step's values as NumPy's; those of a worker's step are waited for."""
    logs = logs.fetch() if hasattr(logs, "fetch") else logs
    return {name: np.asarray(value)[()] for name, value in logs.items()}


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
        self._supports_tf_logs = True  # Also where workers make steps by themselves.
        self._tensors, self._at_end, self._formatter = tensors, at_end, formatter
        self._steps, self._secs = every_n_iter, every_n_secs

    def on_train_begin(self, logs=None):
        self._last, self._time = None, 0

    def on_train_batch_end(self, batch, logs=None):
        self._logs = logs
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
        logs = values_of(self._logs)
        values = {
            name: np.asarray(key())[()] if callable(key) else logs[key]
            for name, key in self._tensors.items()
        }
        if self._formatter:
            text = self._formatter(values)
        else:
            text = ", ".join(f"{name} = {values[name]}" for name in values)
        v1.logging.info("%s", text)
