"""Functions of tf.contrib.layers and slim: same variables, names and defaults.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. The functions build a graph, as they did: call them where
TensorFlow traces a function, as in a model_fn or a step function.
"""

# What your program takes from here.
# ruff: noqa: F401

from .convolutions import (
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_transpose,
    convolution3d,
    separable_conv2d,
    separable_convolution2d,
)
from .dense import bias_add, elu, embed_sequence, fully_connected, linear, relu, relu6
from .normalisation import batch_norm, group_norm, instance_norm, layer_norm
from .penalties import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from .several import repeat, stack
from .stateless import (
    avg_pool2d,
    avg_pool3d,
    dropout,
    flatten,
    max_pool2d,
    max_pool3d,
    maxout,
    one_hot_encoding,
    softmax,
    unit_norm,
)
