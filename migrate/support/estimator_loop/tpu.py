"""TPUEstimator and its specifications.

What only a TPU needs is in `estimator_tpu`, which is written where a program has a
TPUEstimator.
"""

import collections

from . import run_config
from .estimator import Estimator
from .specifications import EstimatorSpec, ModeKeys


class InputPipelineConfig:
    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = range(1, 6)


class TPUConfig(
    collections.namedtuple(
        "TPUConfig", ["iterations_per_loop", "num_shards", "options"]
    )
):
    """How a TPU is to run; of no effect without one."""

    __slots__ = ()

    def __new__(cls, iterations_per_loop=2, num_shards=None, **options):
        return super().__new__(cls, iterations_per_loop, num_shards, options)


class RunConfig(run_config.RunConfig):
    """A run_config.RunConfig with a TPU's configuration, which has no effect without one.

    Args:
      cluster: a tf.distribute.cluster_resolver.TPUClusterResolver.
      master: the TPU's address or name, instead of it; neither is this machine's TPU.

    Raises:
      ValueError: there are both.
    """

    def __init__(
        self,
        tpu_config=None,
        evaluation_master=None,
        master=None,
        cluster=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.tpu_config = tpu_config or TPUConfig()
        if master is not None and cluster is not None:
            raise ValueError("Both master and cluster are set.")
        self.tpu_cluster, self.tpu_master = cluster, master


class TPUEstimatorSpec(
    collections.namedtuple(
        "TPUEstimatorSpec",
        [
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metrics",
            "export_outputs",
            "scaffold_fn",
            "host_call",
            "training_hooks",
            "evaluation_hooks",
            "prediction_hooks",
        ],
    )
):
    """What a TPUEstimator's model_fn returns; `eval_metrics` is (function, tensors)."""

    __slots__ = ()

    def __new__(
        cls,
        mode,
        predictions=None,
        loss=None,
        train_op=None,
        eval_metrics=None,
        export_outputs=None,
        scaffold_fn=None,
        host_call=None,
        training_hooks=None,
        evaluation_hooks=None,
        prediction_hooks=None,
    ):
        if host_call is not None:
            raise ValueError(
                "host_call is not supported: write its summaries with tf.summary in "
                "model_fn."
            )
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metrics,
            export_outputs,
            scaffold_fn,
            host_call,
            training_hooks,
            evaluation_hooks,
            prediction_hooks,
        )

    def as_estimator_spec(self):
        """The same for an Estimator: its metrics are made of their tensors here."""
        metrics = None
        if self.eval_metrics is not None:
            function, tensors = self.eval_metrics
            if isinstance(tensors, dict):
                metrics = function(**tensors)
            else:
                metrics = function(*tensors)
        return EstimatorSpec(
            self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks,
            evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks,
        )


class TPUEstimator(Estimator):
    """An Estimator whose params have the mode's batch size.

    With `use_tpu` it trains on the TPU that its RunConfig names, or under the strategy that
    is RunConfig's `train_distribute`. It evaluates and predicts on the host, as TF1's did
    with eval_on_tpu=False: there a model_fn has whole batches.

    Raises:
      RuntimeError: `use_tpu` is true, and there is no TPU.
      ValueError: `use_tpu` is true, and the configuration does not suit the TPU.
    """

    def __init__(
        self,
        model_fn=None,
        model_dir=None,
        config=None,
        params=None,
        use_tpu=True,
        train_batch_size=None,
        eval_batch_size=None,
        predict_batch_size=None,
        batch_axis=None,
        eval_on_tpu=True,
        export_to_tpu=True,
        export_to_cpu=True,
        warm_start_from=None,
    ):
        if params and "batch_size" in params:
            raise ValueError("batch_size are reserved keys but existed in params.")
        config = config or RunConfig()
        self._shards, strategy = None, None
        if use_tpu:
            # Before anything else is computed: a connection begins TensorFlow anew.
            strategy = _on_tpu().strategy_of(config)
            self._shards = _on_tpu().Shards(
                strategy, config.tpu_config, train_batch_size, batch_axis
            )
        super().__init__(model_fn, model_dir, config, params, warm_start_from)
        if use_tpu:
            self._cluster = _on_tpu().TpuCluster(strategy)
        self._batch_size = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }

    def _params_of(self, mode):
        params = self.params
        size = self._batch_size[mode]
        if self._shards is not None and mode == ModeKeys.TRAIN:
            size = self._shards.model_batch_size
        if size is not None:
            params["batch_size"] = size
        return params

    def _input(self, input_fn, mode, params=None, context=None):
        # TF1's told an input_fn of no context.
        if self._shards is None or mode != ModeKeys.TRAIN:
            return super()._input(input_fn, mode, params)
        return self._shards.dataset(
            lambda added: super(TPUEstimator, self)._input(
                input_fn, mode, {**self.params, **added}
            )
        )

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """As an Estimator's.

        Raises:
          ValueError: on a TPU, neither `steps` nor `max_steps` is given; as in TF1.
        """
        if self._shards is not None and steps is None and max_steps is None:
            raise ValueError(
                "For TPU training, one of `steps` or `max_steps` must be set."
            )
        return super().train(input_fn, hooks, steps, max_steps, saving_listeners)


def _on_tpu():
    """What only a TPU needs.

    Raises:
      ImportError: the file is not there.
    """
    try:
        import estimator_tpu
    except ImportError:  # In a package.
        from .. import estimator_tpu
    return estimator_tpu
