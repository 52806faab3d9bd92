"""What one call of `Estimator.train` runs: a step, and the loop of each worker."""

import contextlib

import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from . import several_updates
from .callbacks import begin_without_input
from .hooks import CheckpointSaverHook, Saver, Scaffold, made_anew, observe
from .inputs import features_and_labels
from .run_config import answer_for
from .specifications import ModeKeys, WarmStartSettings
from .steps import estimator_scaling, in_scope_of, loss_of_workers, operations_of

_logging = tf.compat.v1.logging
several_updates.allow()


class Training:
    """Trains an Estimator's model_fn.

    Args:
      estimator: whose.
      cluster: its clusters.Cluster.
      replicas: what runs the steps.
    """

    def __init__(self, estimator, cluster, replicas):
        self._estimator, self._config = estimator, estimator.config
        self._cluster, self._replicas = cluster, replicas
        self._spec = self._step = None

    def build(self, element_spec, hooks):
        """Builds model_fn's training graph: the step function, and the spec's parts.

        Args:
          element_spec: of the batches that a step takes.
          hooks: what they watch is computed by the step.
        """
        replicas, strategy = self._replicas, self._replicas.strategy
        scaled = contextlib.nullcontext()
        if not self._cluster.averages:
            scaled = estimator_scaling(strategy)
        # With a SyncReplicasOptimizer TF1's workers each reported their own.
        several = strategy.num_replicas_in_sync > replicas.count
        several = several and not self._cluster.averages
        with strategy.scope(), replicas.recording(), scaled:
            graph = self._estimator._graph(replicas, element_spec)

            def train_step(element):
                with graph.building():
                    before = None
                    if self._tells_step_before():
                        before = graph.global_step.read_value()
                    with answer_for(all_workers=self._cluster.asynchronous):
                        spec = self._estimator._call_model_fn(
                            *features_and_labels(element), ModeKeys.TRAIN
                        )
                    if several:
                        spec = spec._replace(loss=loss_of_workers(strategy, spec.loss))
                    if replicas.replica() == 0:  # Hooks and summaries are the first's.
                        self._spec = spec
                        observe(replicas, spec, hooks, before)
                    with tf.control_dependencies(operations_of(spec.train_op)):
                        return tf.identity(spec.loss)

            with graph.creating():
                self._step = replicas.step_function(element_spec)(train_step)

        if not self._cluster.asynchronous:
            # Called where it was traced; elsewhere a strategy would have it traced anew.
            self._step.function = in_scope_of(strategy, self._step.function)

    def _tells_step_before(self):
        """Whether hooks that ask for the global step get the one before the update.

        So they did under a strategy, also of one device.
        """
        given = self._config.train_distribute is not None
        several = self._replicas.count > 1
        return several or (given and not self._cluster.asynchronous)

    def loop(self, batches, hooks, chief, listeners):
        """One worker's loop; returns its last loss, None without a batch.

        Args:
          batches: an iterator over a step's elements.
          hooks: of this worker.
          chief: whether the worker is the chief, which saves.
          listeners: CheckpointSaverListeners.
        """
        scaffold = self._scaffold()
        hooks = [*hooks, *self._own_hooks(chief)]
        chief_hooks = list(self._spec.training_chief_hooks)
        savers = [h for h in hooks + chief_hooks if isinstance(h, CheckpointSaverHook)]
        if not savers:
            savers = self._savers(scaffold)
            chief_hooks = savers + chief_hooks
        for saver_hook in savers:
            saver_hook.saves_with(scaffold.saver)
        _listen(savers, listeners)
        loss = None
        with training_session.MonitoredTrainingSession(
            self._replicas,
            is_chief=chief,
            checkpoint_dir=self._estimator.model_dir,
            scaffold=scaffold,
            hooks=hooks,
            chief_only_hooks=chief_hooks,
            save_checkpoint_secs=0,  # Saving is a hook's.
            save_summaries_steps=self._config.save_summary_steps or 0,
            log_step_count_steps=self._config.log_step_count_steps,
        ) as sess:
            while not sess.should_stop():
                batch = next(batches, None)
                if batch is None:
                    own = [*(chief_hooks if chief else ()), *hooks]
                    begin_without_input(own, sess)
                    break
                loss = sess.run(self._step, *batch)
        if loss is None:
            _logging.warning(
                "Training with estimator made no steps. Perhaps input is empty or "
                "misspecified."
            )
        return loss

    def _scaffold(self):
        """What saves, and what gives the variables other values than their own."""
        given = self._spec.scaffold or Scaffold()
        saver = given.own_saver or Saver(
            max_to_keep=self._config.keep_checkpoint_max,
            save_relative_paths=True,  # A model_dir that is moved goes on.
            keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
        )
        init_fn = given.init_fn or self._warm_start()
        return training_session.Scaffold(saver, init_fn)

    def _warm_start(self):
        """What gives a new training the values of another's checkpoint."""
        settings = self._estimator._warm_start_from
        if not settings:
            return None
        if not isinstance(settings, WarmStartSettings):
            settings = WarmStartSettings(settings)
        return lambda scaffold, sess: settings.start(self._replicas, sess)

    def _own_hooks(self, chief):
        """The hooks that tf.estimator added, and those of the model_fn."""
        hooks = [training_session.NanTensorHook("loss")]
        if self._config.log_step_count_steps is not None:
            hooks.append(
                training_session.LoggingTensorHook(
                    ["loss"],
                    every_n_iter=self._config.log_step_count_steps,
                    formatter=lambda values: f"loss = {values['loss']}",
                )
            )
        same = chief or not self._cluster.asynchronous
        own = self._spec.training_hooks
        return [*hooks, *(hook if same else made_anew(hook) for hook in own)]

    def _savers(self, scaffold):
        """The hook that saves as RunConfig asks for, if it does."""
        seconds, steps = (
            self._config.save_checkpoints_secs,
            self._config.save_checkpoints_steps,
        )
        if not seconds and not steps:
            return []
        directory = self._estimator.model_dir
        return [CheckpointSaverHook(directory, seconds, steps, scaffold=scaffold)]


def _listen(savers, listeners):
    """Tells listeners of the first saver's checkpoints."""
    if not listeners:
        return
    if not savers:
        raise ValueError(
            "There should be a CheckpointSaverHook to use saving_listeners. "
            "Please set one of the RunConfig.save_checkpoints_steps or "
            "RunConfig.save_checkpoints_secs."
        )
    known = savers[0].listeners
    known.extend(x for x in listeners if x not in known)
