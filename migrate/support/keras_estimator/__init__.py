"""An Estimator that trains a Keras model: what tf.estimator did around a model.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` and `training_session`
beside it.

The model is an ordinary `tf_keras.Model`, made by a class of your program from symbolic
features. What a model_fn computed by mode are its three methods, of which `Model.fit`,
`evaluate` and `predict` know as well:

    train     train_step((features, labels)) -> {"loss": ...}
    evaluate  test_step((features, labels)) -> the metrics, by name
    predict   predict_step(features) -> the predictions

`estimator` calls them where tf.estimator ran a session: under the strategy that
TF_CONFIG asks for, with checkpoints in TF1's format and under TF1's names, summaries,
hooks and exports. As in TF1 every call of `train`, `evaluate` and `predict` makes the
model anew, and takes its variables from the latest checkpoint in `model_dir`.

    estimator         the Estimator, and its graphs; serving.py has those that are exported
    steps             what the model's methods give it
    layers            with TF1's seeds and numbers, and variables that calls share
    contrib_layers    tf.contrib.layers
    metrics           tf.metrics that Keras counts otherwise
"""

# What your program takes from here.
# ruff: noqa: F401

from .contrib_layers import (
    BatchNorm,
    Conv,
    ConvTransposed,
    FullyConnected,
    LayerNorm,
    OneHot,
    SeparableConv,
)
from .estimator import Estimator, inputs_like
from .layers import Dropout, Shared, Variable, unique_name
from .metrics import AUC, MeanAbsoluteError, MeanPerClassAccuracy, MeanSquaredError
