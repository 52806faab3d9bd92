"""The ready-made Estimators of TensorFlow 1: linear, deep, and both; classifiers and regressors.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_heads.py` and `estimator_loop`
beside it.

A ready-made Estimator is an Estimator whose model_fn is written here:

    logits    a linear model of feature columns, a network on top of them, or the sum
              of both
    a head    what is made of the logits: loss, predictions, metrics, signatures

Variables and slots have TF1's names, so that an old model_dir is continued. So have
defaults their TF1 values: the loss of a batch is a sum over its examples, Ftrl trains a
linear model and Adagrad a network, at the rates in `optimizers.RATES`.
"""

# What your program takes from here.
# ruff: noqa: F401

from .estimators import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
    add_metrics,
    forward_features,
)
from .optimizers import clip_gradients_by_norm, get_optimizer_instance
from .parsing import classifier_parse_example_spec, regressor_parse_example_spec
