"""What tf.estimator did for a TF1 program, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `training_session` beside it.

    estimator         train, evaluate, predict, export
    training          a training's step and loop; evaluation.py has metrics, steps.py both's parts
    several_updates   optimizers that update in one step
    variables         names, initial values and averages as in TF1's graph
    networks          of Keras in such a graph
    inputs            what an input_fn gives
    specifications    EstimatorSpec, TrainSpec, EvalSpec; run_config.py has RunConfig
    hooks             the ready-made ones, and your own; hook_sessions.py has what they see
    callbacks         of Keras, which are called where hooks are
    clusters          the strategy, from TF_CONFIG
    timeline          train_and_evaluate
    export            receivers and signatures; exporters.py keeps what they export
    tpu               TPUEstimator without a TPU

Your `model_fn` stays what it was: a function that builds one of three graphs. Here
each is a step function:

    train     tf.function of model_fn(TRAIN), run by the strategy
    evaluate  model_fn(EVAL), of which only the metrics' updates are run
    predict   model_fn(PREDICT), of which only the predictions are run

As in TF1 every call of `train`, `evaluate` and `predict` builds its graph anew and
takes the variables' values from the latest checkpoint in `model_dir`. Checkpoints
are TF1's: same file format, same names, slots included, so that an old model_dir is
continued, and TF1 can read what is saved here.

The strategy is chosen at run time from the TF_CONFIG that TF1 read:

    no cluster            this process alone
    ps and workers        ParameterServerStrategy; the chief's process is also the
                          coordinator, which runs one loop per worker
    workers, no ps        MultiWorkerMirroredStrategy
    an evaluator          takes no part: it evaluates checkpoints as they come
    RunConfig(train_distribute=...)     wins over all of these
"""

# What your program takes from here.
# ruff: noqa: F401

# tf.layers and tf.nn.rnn_cell as TF1 had them: names, collections and defaults. TensorFlow itself exports
# them only where Keras 2 is switched on for the whole process.
from tf_keras.api._v1.keras.__internal__.legacy import layers, rnn_cell

from . import (
    callbacks,
    clusters,
    export,
    feature_column,
    hooks,
    inputs,
    steps,
    tpu,
    variables,
)
from .estimator import Estimator
from .export import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
    ServingInputReceiver,
    TensorServingInputReceiver,
)
from .exporters import BestExporter, Exporter, FinalExporter, LatestExporter
from .hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    ProfilerHook,
    Saver,
    Scaffold,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
)
from .inputs import Batches, fed, first_batch, one_shot_iterator, when_asked
from .run_config import RunConfig
from .specifications import (
    EstimatorSpec,
    EvalSpec,
    ModeKeys,
    TrainSpec,
    WarmStartSettings,
)
from .timeline import train_and_evaluate
from .variables import (
    ExponentialMovingAverage,
    assign_from_checkpoint_fn,
    init_from_checkpoint,
    op_name,
)
