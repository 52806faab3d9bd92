"""tf.estimator and the Estimators of tf.contrib.tpu, in graph mode on TensorFlow 2.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and the package that TensorFlow's Estimators always came from:

    pip install --no-deps tensorflow-estimator==2.15.0

TensorFlow 2.16 and later do not bring that package, and lack a few private modules that it
imports. Here something stands in for them. Nothing of a program on CPUs and GPUs is
computed by these stand-ins: they are for TPUs and for strategies over several tasks, and
say so where they are used.
"""

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

import tensorflow as tf
from tensorflow.python.util import tf_export

_INSTALL = "pip install --no-deps tensorflow-estimator==2.15.0"
_DISTRIBUTE = "tensorflow.python.distribute"
_TPU = "tensorflow.python.tpu"
_OF_TPUS = ("session_support", "tpu_embedding", "tpu_embedding_gradient")
_EXPORT = "tensorflow_estimator.python.estimator.estimator_export"


# -- what TensorFlow 2.16 and later lack ---------------------------------------


def _stand_in_for_missing_modules() -> None:
    """Puts modules where tensorflow-estimator looks for those that are gone.

    Raises:
      ImportError: the package is not installed.
    """
    if importlib.util.find_spec("tensorflow_estimator") is None:
        raise ImportError(f"TensorFlow {tf.__version__} has no Estimators: {_INSTALL}")
    _stand_in(_DISTRIBUTE, "estimator_training", _make_module_of_tasks)
    for name in _OF_TPUS:
        _stand_in(_TPU, name, _ModuleOfTpus)
    if not hasattr(tf_export, "ESTIMATOR_API_NAME") and _EXPORT not in sys.modules:
        # The package's own one enters names in a table of TensorFlow's.
        module = types.ModuleType(_EXPORT)
        module.estimator_export = _NoExport  # type: ignore[attr-defined]
        sys.modules[_EXPORT] = module


def _stand_in(package: str, name: str, make: Callable[[str], types.ModuleType]) -> None:
    full = f"{package}.{name}"
    if full not in sys.modules and importlib.util.find_spec(full) is None:
        module = sys.modules[full] = make(full)
        setattr(importlib.import_module(package), name, module)


class _NoExport:
    """Decorates what TensorFlow had as a public name, and leaves it as it is."""

    def __init__(self, *names: str, v1: object = None) -> None:
        pass

    def __call__(self, exported: Any) -> Any:
        return exported

    def export_constant(self, module: str, name: str) -> None:
        pass


class _ModuleOfTpus(types.ModuleType):
    """A module whose names are classes of which nothing can be made."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)

        def refuse(*args: object, **kwargs: object) -> NoReturn:
            raise NotImplementedError(
                f"{self.__name__}.{name} is for TPUs, and TensorFlow {tf.__version__} "
                "does not have it: give the TPUEstimator use_tpu=False, and no "
                "embedding_config_spec."
            )

        # The package derives nothing of them; it asks for instances.
        made = type(name, (), {"__new__": refuse})
        setattr(self, name, made)
        return made


def _make_module_of_tasks(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.init_run_config = _init_run_config  # type: ignore[attr-defined]
    module.should_run_distribute_coordinator = (  # type: ignore[attr-defined]
        lambda config: False
    )
    return module


def _init_run_config(config: Any, tf_config: dict[str, Any]) -> None:
    """Initialises a RunConfig that was given a strategy.

    Raises:
      ValueError: strategies are given twice.
      NotImplementedError: the strategy is of several tasks.
    """
    both = config._experimental_distribute
    for name in ("train_distribute", "eval_distribute"):
        strategy = both and getattr(both, name)
        if strategy and getattr(config, f"_{name}"):
            raise ValueError(
                f"Either `{name}` or `experimental_distribute.{name}` can be set."
            )
        if strategy:
            setattr(config, f"_{name}", strategy)
    cluster = tf_config.get("cluster", {})
    if config._train_distribute and (
        (cluster and "master" not in cluster) or (both and both.remote_cluster)
    ):
        raise NotImplementedError(
            f"TensorFlow {tf.__version__} does not train Estimators by a strategy over "
            "several tasks. Without train_distribute the tasks of TF_CONFIG train "
            "asynchronously, with variables on parameter servers."
        )
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def import_private(name: str) -> types.ModuleType:
    """A module of the package that is none of its public ones, as "canned.head"."""
    return importlib.import_module(f"tensorflow_estimator.python.estimator.{name}")


_stand_in_for_missing_modules()

# -- what the package has ------------------------------------------------------

from tensorflow_estimator.python.estimator.api._v1.estimator import (  # noqa: E402, F401
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    BestExporter,
    BinaryClassHead,
    CheckpointSaverHook,
    CheckpointSaverListener,
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    Estimator,
    EstimatorSpec,
    EvalSpec,
    Exporter,
    FeedFnHook,
    FinalExporter,
    FinalOpsHook,
    GlobalStepWaiterHook,
    Head,
    LatestExporter,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
    LoggingTensorHook,
    LogisticRegressionHead,
    ModeKeys,
    MultiClassHead,
    MultiHead,
    MultiLabelHead,
    NanLossDuringTrainingError,
    NanTensorHook,
    PoissonRegressionHead,
    ProfilerHook,
    RegressionHead,
    RunConfig,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
    TrainSpec,
    VocabInfo,
    WarmStartSettings,
    add_metrics,
    classifier_parse_example_spec,
    experimental,
    export,
    inputs,
    regressor_parse_example_spec,
    tpu,
    train_and_evaluate,
)


def pandas_input_fn(x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The package's, of frames whose words have pandas' own type for them, too."""
    return inputs.pandas_input_fn(_unpack_words(x), _unpack_words(y), *args, **kwargs)


def _unpack_words(frame: Any) -> Any:
    """A frame or series with words as Python's objects, as older pandas had them."""
    if frame is None:
        return None
    words = {"string", "str"}
    if frame.ndim == 1:
        return frame.astype(object) if str(frame.dtype) in words else frame
    found = {c: object for c in frame.columns if str(frame[c].dtype) in words}
    return frame.astype(found) if found else frame
