"""tf.contrib.learn's Experiment, RunConfig and learn_runner, around a tf.estimator.Estimator.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` beside it.

For one process. `train_and_evaluate` of an Experiment evaluates new checkpoints while it
trains, no sooner than `check_interval_secs` after it last looked for one, and once more at
the end; `estimator_loop.train_and_evaluate` is what one would write today.
"""

import time

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_loop

v1 = tf.compat.v1
_logging = v1.logging
_UNSET = object()


class RunConfig(estimator_loop.RunConfig):
    """tf.contrib.learn.RunConfig: its parameters, in its order.

    `num_cores`, `log_device_placement` and `gpu_memory_fraction` made a session's
    configuration, and have no effect.
    """

    def __init__(
        self,
        master=None,
        num_cores=0,
        log_device_placement=False,
        gpu_memory_fraction=1,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_secs=_UNSET,
        save_checkpoints_steps=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        protocol=None,
        evaluation_master="",
        model_dir=None,
        session_config=None,
        session_creation_timeout_secs=7200,
    ):
        if save_checkpoints_secs is _UNSET:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )


class Experiment:
    """An Estimator, and how it is trained and evaluated.

    Args:
      estimator: an Estimator of estimator_loop.
      train_steps: the global step to reach; None for as long as there is input.
      eval_steps: batches of an evaluation; None for all.
      train_monitors: hooks of training.
      min_eval_frequency: steps between looks for a new checkpoint; 0 for an evaluation at
        the end only.
      check_interval_secs: least time between two looks.

    Raises:
      ValueError: something is asked for that is not covered: a cluster, metrics, exports.
    """

    def __init__(
        self,
        estimator,
        train_input_fn,
        eval_input_fn,
        eval_metrics=None,
        train_steps=None,
        eval_steps=100,
        train_monitors=None,
        eval_hooks=None,
        local_eval_frequency=None,
        eval_delay_secs=120,
        continuous_eval_throttle_secs=60,
        min_eval_frequency=None,
        delay_workers_by_global_step=False,
        export_strategies=None,
        train_steps_per_iteration=None,
        checkpoint_and_export=False,
        saving_listeners=None,
        check_interval_secs=5,
    ):
        if not isinstance(estimator, estimator_loop.Estimator):
            raise ValueError("`estimator` must be a `tf.estimator.Estimator`.")
        if eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None`: use `eval_metric_ops` in "
                "`tf.estimator.EstimatorSpec` instead."
            )
        if export_strategies or checkpoint_and_export:
            raise ValueError("exports: use train_and_evaluate with an exporter.")
        if estimator.config.cluster:
            raise ValueError("an Experiment in a cluster: use train_and_evaluate.")
        self._estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._train_hooks = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._local_eval_frequency = local_eval_frequency
        self._frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._saving_listeners = saving_listeners
        self._check_interval_secs = check_interval_secs

    @property
    def estimator(self):
        return self._estimator

    @property
    def train_steps(self):
        return self._train_steps

    @property
    def eval_steps(self):
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks):
        """More hooks of training."""
        self._train_hooks.extend(additional_hooks)

    def train(self, delay_secs=None):
        """Trains; returns the Estimator."""
        time.sleep(delay_secs or 0)
        return self._train(self._train_hooks, max_steps=self._train_steps)

    def evaluate(self, delay_secs=None, name=None):
        """Evaluates the latest checkpoint, after some seconds (`eval_delay_secs`)."""
        delay_secs = self._eval_delay_secs if delay_secs is None else delay_secs
        if delay_secs:
            _logging.info("Waiting %d secs before starting eval.", delay_secs)
            time.sleep(delay_secs)
        return self._evaluate(self._eval_steps, self._eval_hooks, name or "one_pass")

    def train_and_evaluate(self):
        """(metrics of the last checkpoint, exports)."""
        return self._train_and_evaluate(self._frequency)

    def local_run(self):
        """The same, evaluating every `local_eval_frequency` steps."""
        return self._train_and_evaluate(self._local_eval_frequency)

    def test(self):
        """Trains and evaluates one step; returns the metrics."""
        self._train(self._train_hooks, steps=1)
        return self._evaluate(1, None, "one_pass")

    def _train_and_evaluate(self, frequency):
        hooks = list(self._train_hooks)
        if frequency:
            hooks.append(
                _EvaluateNew(
                    self._estimator,
                    lambda: self._evaluate(self._eval_steps, self._eval_hooks, None),
                    frequency,
                    self._check_interval_secs,
                )
            )
        self._train(hooks, max_steps=self._train_steps)
        return self._evaluate(self._eval_steps, self._eval_hooks, None), []

    def _train(self, hooks, **steps):
        return self._estimator.train(
            self._train_input_fn,
            hooks=hooks,
            saving_listeners=self._saving_listeners,
            **steps,
        )

    def _evaluate(self, steps, hooks, name):
        return self._estimator.evaluate(
            self._eval_input_fn, steps=steps, hooks=hooks, name=name
        )


class _EvaluateNew(estimator_loop.SessionRunHook):
    """Evaluates a checkpoint that was not evaluated yet, while training goes on."""

    def __init__(self, estimator, evaluate, every_n_steps, check_interval_secs):
        self._estimator, self._evaluate = estimator, evaluate
        self._every, self._interval = every_n_steps, check_interval_secs
        self._last_step, self._checked, self._path = 0, None, None

    def begin(self):
        self._step = v1.train.get_global_step()

    def after_run(self, run_context, run_values):
        step = run_context.session.run(self._step)
        if step < self._last_step + self._every:
            return
        self._last_step = step
        now = time.time()
        if self._checked is not None and now - self._checked <= self._interval:
            return
        self._checked = now
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._path:
            return
        self._path = path
        found = sorted(self._evaluate().items())
        text = ", ".join(f"{name} = {value}" for name, value in found)
        _logging.info("Validation (step %d): %s", step, text)


def run(experiment_fn, output_dir=None, schedule=None, run_config=None, hparams=None):
    """tf.contrib.learn.learn_runner.run: makes an Experiment, and calls a method of it.

    Args:
      experiment_fn: (run_config, hparams), or (output_dir), -> an Experiment.
      schedule: the method's name; default train_and_evaluate.

    Returns:
      What the method does.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if not output_dir and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if run_config is not None:
        if not run_config.model_dir:
            raise ValueError(
                "Must specify a model directory `model_dir` in `run_config`."
            )
        experiment = experiment_fn(run_config, hparams)
    else:
        if hparams is not None:
            raise ValueError(
                "Must set `hparams` as None for `experiment_fn` with `output_dir`."
            )
        experiment = experiment_fn(output_dir=output_dir)
    if not isinstance(experiment, Experiment):
        raise TypeError(
            "Experiment builder did not return an Experiment instance, got "
            f"{type(experiment)} instead."
        )
    schedule = schedule or "train_and_evaluate"
    if schedule.startswith("_") or not hasattr(Experiment, schedule):
        raise ValueError(f"Schedule references non-existent task {schedule}")
    return getattr(experiment, schedule)()
