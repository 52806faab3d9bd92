"""TPUEstimator and its specifications, where there is no TPU."""

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
    """How a TPU would run; kept, and of no effect without one."""

    __slots__ = ()

    def __new__(cls, iterations_per_loop=2, num_shards=None, **options):
        return super().__new__(cls, iterations_per_loop, num_shards, options)


class RunConfig(run_config.RunConfig):
    """A run_config.RunConfig with a TPU's configuration, which has no effect without one."""

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
        self.tpu_cluster = cluster


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
    """An Estimator whose params have the mode's batch size, as on a machine without TPU.

    Raises:
      ValueError: `use_tpu` is true.
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
        if use_tpu:
            raise ValueError(
                "use_tpu=True: TPUs are not supported; pass use_tpu=False."
            )
        if params and "batch_size" in params:
            raise ValueError("batch_size are reserved keys but existed in params.")
        super().__init__(model_fn, model_dir, config, params, warm_start_from)
        self._batch_size = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }

    def _params_of(self, mode):
        params = self.params
        size = self._batch_size[mode]
        if size is not None:
            params["batch_size"] = size
        return params
