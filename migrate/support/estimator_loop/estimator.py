"""The Estimator: it trains, evaluates, predicts and exports a model_fn."""

import copy
import itertools
import os
import tempfile

import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .callbacks import begin_without_input, checked_hooks
from .clusters import Cluster, own_device, replicas_of
from .evaluation import metric_updates, write_metrics
from .export import (
    finished,
    signatures_of,
    timestamped,
    unfinished,
    write_saved_model,
)
from .hooks import Saver, StopAtStepHook, made_anew, tensors_watched
from .inputs import dataset_of, features_and_labels, grouped
from .networks import begin_model_fn
from .run_config import RunConfig, answer_for
from .specifications import (
    EstimatorSpec,
    ModeKeys,
    arguments_of,
    check_arguments,
)
from .steps import (
    EvaluationSession,
    InTurn,
    Pruned,
    chosen_predictions,
    saved_step,
)
from .training import Training
from .variables import Graph

v1 = tf.compat.v1
_logging = v1.logging


class Estimator:
    """Trains, evaluates and predicts with a model_fn.

    Args:
      model_fn: (features, labels, mode, params, config) -> EstimatorSpec; any but the
        first may be missing.
      model_dir: where checkpoints and summaries are; default a temporary directory.
      config: a RunConfig.
      params: passed to model_fn and input_fn.
      warm_start_from: a checkpoint, a directory of them, or WarmStartSettings: what a
        new training's variables start from.
    """

    def __init__(
        self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None
    ):
        if not callable(model_fn):
            raise ValueError(f"model_fn must be callable: {model_fn}")
        self._check_arguments(model_fn, params)
        self._model_fn = model_fn
        config = config or RunConfig()
        if isinstance(config, dict):
            config = RunConfig(**config)
        if model_dir and config.model_dir and model_dir != config.model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with "
                f"different values: '{model_dir}', '{config.model_dir}'"
            )
        model_dir = model_dir or config.model_dir
        if not model_dir:
            model_dir = tempfile.mkdtemp()
            _logging.warning("Using temporary folder as model directory: %s", model_dir)
        self.config = config.replace(model_dir=str(model_dir))
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = warm_start_from
        self._cluster = Cluster(self.config)

    @staticmethod
    def _check_arguments(model_fn, params):
        """Raises ValueError where a model_fn cannot be called as an Estimator's is."""
        check_arguments(model_fn, params)

    @property
    def model_dir(self):
        return self.config.model_dir

    @property
    def model_fn(self):
        def public_model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode)

        return public_model_fn

    @property
    def params(self):
        return copy.deepcopy(self._params)

    def latest_checkpoint(self):
        return tf.train.latest_checkpoint(self.model_dir)

    def get_variable_names(self):
        """Names of the variables in the latest checkpoint."""
        return [name for name, _ in tf.train.list_variables(self.model_dir)]

    def get_variable_value(self, name):
        """A variable's value in the latest checkpoint."""
        return tf.train.load_variable(self.model_dir, name)

    def eval_dir(self, name=None):
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    # What a model_fn and an input_fn are called with.

    def _params_of(self, mode):
        return self.params

    def _call_model_fn(self, features, labels, mode):
        names = arguments_of(self._model_fn)
        if labels is not None and "labels" not in names:
            raise ValueError(
                "model_fn does not take labels, but input_fn returns labels."
            )
        given = {
            "labels": labels,
            "mode": mode,
            "params": self._params_of(mode),
            "config": self.config,
        }
        kwargs = {name: value for name, value in given.items() if name in names}
        begin_model_fn()
        spec = self._model_fn(features=features, **kwargs)
        if hasattr(spec, "as_estimator_spec"):  # Of a TPUEstimator.
            spec = spec.as_estimator_spec()
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _input(self, input_fn, mode, params=None, context=None):
        """The dataset of an input_fn; it has the mode's params, or those given.

        Args:
          context: a tf.distribute.InputContext; None, where no strategy is given.
        """
        names = arguments_of(input_fn)
        given = {
            "mode": mode,
            "params": self._params_of(mode) if params is None else params,
            "config": self.config,
        }
        if context is not None:
            given["input_context"] = context
        kwargs = {name: value for name, value in given.items() if name in names}
        with tf.device("/CPU:0"):
            return dataset_of(lambda: input_fn(**kwargs))

    def _seed(self, anew=False):
        """Sets the seed of all operations that RunConfig asks for; none, where it does not.

        TF1 built an Estimator's graphs apart from the program's own and from others.

        Args:
          anew: also where it is set. That begins all random numbers anew, which a
            training that has yet to go on must not see.
        """
        seed = self.config.tf_random_seed
        wanted = training_session.NO_SEED if seed is None else seed
        if (anew and seed is not None) or v1.get_seed(0)[0] != wanted:
            tf.random.set_seed(seed)

    def _graph(self, replicas, element_spec):
        """The graph of elements of an input, before anything is in it."""
        return Graph(replicas)

    # Training.

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """Trains; from the latest checkpoint where there is one.

        Args:
          input_fn: gives a dataset, or (features, labels).
          hooks: hooks of this module.
          steps: how many steps more; None for as long as there is input.
          max_steps: the global step to reach.

        Returns:
          The Estimator itself.
        """
        if self.config.task_type in ("evaluator", "ps"):
            raise ValueError(
                f"A task of type {self.config.task_type} does not train by itself. Use "
                "train_and_evaluate."
            )
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, value in (("steps", steps), ("max_steps", max_steps)):
            if value is not None and value <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {value}")
        if max_steps is not None and max_steps <= saved_step(self.model_dir):
            _logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = checked_hooks(hooks)
        self._choose_pace(input_fn)
        self._seed(anew=True)
        replicas = self._cluster.replicas()
        replicas.scopes_open_twice = self.config.train_distribute is not None
        first = self._training_input(input_fn)
        training = Training(self, self._cluster, replicas)
        training.build(first.element_spec, hooks)
        losses = {}
        shared = self._cluster.asynchronous

        def loop(task_index):
            # Every worker reads its own data, as every TF1 worker called input_fn.
            here = not shared or task_index == 0
            dataset = first if here else self._training_input(input_fn, task_index)
            chief = self._cluster.is_chief(task_index)
            # Every TF1 worker was a process, with hooks of its own.
            own = [h if chief or not shared else made_anew(h) for h in hooks]
            if steps is not None or max_steps is not None:
                own.append(StopAtStepHook(steps, max_steps))
            batches = grouped(iter(dataset), replicas.count)
            losses[task_index] = training.loop(batches, own, chief, saving_listeners)

        replicas.run(loop)
        _logging.info("Loss for final step: %s.", losses[min(losses)])
        return self

    def _training_input(self, input_fn, task_index=0):
        context = self._cluster.input_context(task_index)
        with answer_for(worker=task_index):
            return self._input(input_fn, ModeKeys.TRAIN, context=context)

    # What says of an Estimator and an input_fn whether workers are to keep pace: set by
    # `synchronous_estimator`, where a program imports it.
    asks_for_synchrony = None

    def _choose_pace(self, input_fn):
        probe = Estimator.asks_for_synchrony
        if probe is not None:
            self._cluster.decide(lambda: probe(self, input_fn))

    # Evaluation.

    def evaluate(
        self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None
    ):
        """Evaluates the latest checkpoint; returns metrics by name, and global_step."""
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        hooks = checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            _logging.info(
                "Could not find trained model in model_dir: %s, running initialization "
                "to evaluate.",
                self.model_dir,
            )
        self._seed()
        strategy = self.config.eval_distribute
        replicas = InTurn(replicas_of(strategy))
        # As in TF1 an input_fn that is given a context is told of the strategy's.
        context = strategy and tf.distribute.InputContext(1, 0, replicas.count)
        dataset = self._input(input_fn, ModeKeys.EVAL, context=context)
        built = {}

        def eval_graph(*elements):
            fetches, values = [], []
            for i, element in enumerate(elements):
                with replicas.building(i):
                    features, labels = features_and_labels(element)
                    spec = self._call_model_fn(features, labels, ModeKeys.EVAL)
                    done, ops = metric_updates(spec)
                    fetches.append([done])
                    if i:
                        continue  # Metrics, hooks and all else are the first's.
                    watching = [*hooks, *spec.evaluation_hooks]
                    observed = tensors_watched(watching, v1.get_default_graph())
                    built.update(spec=spec, observed=list(observed), names=list(ops))
                    fetches[0] += map(
                        training_session.variables.value_of, observed.values()
                    )
                    values += [tf.convert_to_tensor(value) for value, _ in ops.values()]
            return fetches, values

        run = self._pruned(replicas, eval_graph, dataset.element_spec, checkpoint_path)
        self._restore(replicas, checkpoint_path, built["spec"].scaffold)
        all_hooks = [*hooks, *built["spec"].evaluation_hooks]
        session = EvaluationSession(replicas)
        for hook in all_hooks:
            hook.begin(session)
        result = None
        elements = iter(dataset)
        for number in itertools.count():
            if session.stop or number == steps:
                break
            batches = list(itertools.islice(elements, replicas.count))
            if len(batches) < replicas.count:
                begin_without_input(all_hooks, session)
                run(*batches)  # TF1 counted these, most of the time, but made no step.
                break
            for hook in all_hooks:
                hook.before_run(session)
            results = run(*batches)
            result = True
            observed = dict(zip(built["observed"], [t.numpy() for t in results]))
            results = {"observed": observed, "fetches": None}
            for hook in all_hooks:
                hook.after_run(session, session.global_step(), results)
        for hook in all_hooks:
            hook.end(session)
        if result is None:
            _logging.warning("Input graph does not use tf.data.Dataset or is empty.")
        metrics = dict(zip(built["names"], [v.numpy() for v in run.values()]))
        metrics["global_step"] = session.global_step()
        write_metrics(metrics, self.eval_dir(name), checkpoint_path)
        return metrics

    # Prediction.

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ):
        """Yields the predictions for each example (or batch) of the input."""
        hooks = checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            _logging.info(
                "Could not find trained model in model_dir: %s, running initialization "
                "to predict.",
                self.model_dir,
            )
        self._seed()
        dataset = self._input(input_fn, ModeKeys.PREDICT)
        replicas = training_session.SynchronousReplicas(own_device(), 0)
        built = {}

        def predict_graph(element):
            # A dataset of (features, labels) is taken, and its labels left.
            features, _ = features_and_labels(element)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT)
            predictions = chosen_predictions(spec.predictions, predict_keys)
            watching = [*hooks, *spec.prediction_hooks]
            observed = tensors_watched(watching, v1.get_default_graph())
            single = not isinstance(predictions, dict)
            built.update(spec=spec, observed=list(observed), single=single)
            built["names"] = [None] if single else list(predictions)
            values = [predictions] if single else list(predictions.values())
            values = [*map(tf.convert_to_tensor, values)]
            return [
                values + [*map(training_session.variables.value_of, observed.values())]
            ], []

        run = self._pruned(
            replicas, predict_graph, dataset.element_spec, checkpoint_path
        )
        self._restore(replicas, checkpoint_path, built["spec"].scaffold)
        all_hooks = [*hooks, *built["spec"].prediction_hooks]
        session = EvaluationSession(replicas)
        for hook in all_hooks:
            hook.begin(session)
        count = len(built["names"])
        elements = iter(dataset)
        while not session.stop:
            element = next(elements, None)
            if element is None:
                begin_without_input(all_hooks, session)
                break
            for hook in all_hooks:
                hook.before_run(session)
            results = [t.numpy() for t in run(element)]
            observed = dict(zip(built["observed"], results[count:]))
            results = results[:count]
            for hook in all_hooks:
                hook.after_run(session, session.global_step(), {"observed": observed})
            batch = dict(zip(built["names"], results))
            if not yield_single_examples:
                yield results[0] if built["single"] else batch
            elif built["single"]:
                yield from results[0]
            else:
                sizes = {len(value) for value in results}
                if len(sizes) != 1:
                    raise ValueError(
                        "Batch length of predictions should be same. "
                        f"Found {sorted(sizes)}"
                    )
                for i in range(sizes.pop()):
                    yield {key: value[i] for key, value in batch.items()}
        for hook in all_hooks:
            hook.end(session)

    def _pruned(self, replicas, function, element_spec, checkpoint_path):
        """A graph of which only what is returned is run, as a session ran fetches."""
        # A training that goes on afterwards is not to draw its random numbers again.
        recording = replicas.recording(drawn=not checkpoint_path)
        with replicas.strategy.scope(), recording:
            graph = self._graph(replicas, element_spec)

            def build(*elements):
                with graph.building():
                    return function(*elements)

            with graph.creating():
                return Pruned(build, [element_spec] * replicas.count)

    def _restore(self, replicas, checkpoint_path, scaffold):
        if checkpoint_path:
            _logging.info("Restoring parameters from %s", checkpoint_path)
            # What training alone has in the checkpoint is not missed here.
            own = scaffold and scaffold.own_saver
            saver = own or Saver(replicas.entries())
            saver.restore(EvaluationSession(replicas), checkpoint_path)
        elif scaffold and scaffold.init_fn:
            scaffold.init_fn(scaffold, EvaluationSession(replicas))

    # Export.

    def export_saved_model(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        experimental_mode=ModeKeys.PREDICT,
    ):
        """Writes a SavedModel of the PREDICT graph; returns its directory, as bytes.

        Its graph is built as TF1 built it, so that signatures and tensors have the
        names that clients know.
        """
        if experimental_mode != ModeKeys.PREDICT:
            raise ValueError("Only the PREDICT graph can be exported.")
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            raise ValueError(f"Couldn't find trained model at {self.model_dir}.")
        directory = timestamped(export_dir_base)
        temporary = unfinished(directory)
        build = self._serving(serving_input_receiver_fn)
        write_saved_model(
            temporary,
            build,
            checkpoint_path,
            seed=self.config.tf_random_seed,
            assets_extra=assets_extra,
            as_text=as_text,
        )
        return finished(temporary, directory).encode()

    def _serving(self, serving_input_receiver_fn):
        """What builds the graph that is exported, and gives its signatures by name."""

        def build():
            receiver = serving_input_receiver_fn()
            spec = self._call_model_fn(receiver.features, None, ModeKeys.PREDICT)
            return signatures_of(receiver, spec)

        return build

    def export_savedmodel(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        strip_default_attrs=False,
    ):
        """The older name of export_saved_model."""
        return self.export_saved_model(
            export_dir_base,
            serving_input_receiver_fn,
            assets_extra,
            as_text,
            checkpoint_path,
        )
