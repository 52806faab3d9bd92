"""Functions of TensorFlow that give one tensor: not a list, a dict, an operation or a variable.

A step that returns what one of these gives returns a value that has `numpy()`. Each row is
called by a test, in TensorFlow itself.
"""

from __future__ import annotations

# Below `tf.`, `tf.math.` and `tf.compat.v1.`.
_MATH = (
    *("abs", "accumulate_n", "acos", "add", "add_n", "argmax", "argmin", "asin"),
    *("atan", "atan2", "ceil", "confusion_matrix", "cos", "cosh", "count_nonzero"),
    *("cumprod", "cumsum", "divide", "equal", "erf", "exp", "expm1", "floor"),
    *("floordiv", "floormod", "greater", "greater_equal", "is_finite", "is_inf"),
    *("is_nan", "less", "less_equal", "lgamma", "log", "log1p"),
    *("log_sigmoid", "logical_and", "logical_not", "logical_or", "logical_xor"),
    *("maximum", "minimum", "mod", "multiply", "negative", "not_equal", "pow"),
    *(
        "reciprocal",
        "reduce_all",
        "reduce_any",
    ),
    *("reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod"),
    *("reduce_sum", "rint", "round", "rsqrt"),
    *("segment_sum", "sigmoid", "sign", "sin", "sinh", "sqrt", "square"),
    *("squared_difference", "subtract", "tan", "tanh", "truediv"),
    *("unsorted_segment_sum",),
)
# Functions of `tf.math` that `tf` itself does not have.
_MATH_ALONE = (
    *("l2_normalize", "reduce_euclidean_norm", "reduce_std", "reduce_variance"),
    *("softplus", "xlogy", "zero_fraction"),
)
_ARRAYS = (
    *("argsort", "batch_to_space", "boolean_mask", "broadcast_to", "cast"),
    *("clip_by_average_norm", "clip_by_norm", "clip_by_value", "concat", "constant"),
    *("diag", "einsum", "expand_dims", "eye", "fill", "gather", "gather_nd"),
    *("identity", "linspace", "matmul", "norm", "one_hot", "ones", "ones_like"),
    *("pad", "range", "rank", "repeat", "reshape", "reverse", "roll", "scatter_nd"),
    *("sequence_mask", "shape", "size", "slice", "sort", "space_to_batch"),
    *("space_to_depth", "squeeze", "stack", "stop_gradient", "tensordot", "tile"),
    *("to_float", "to_int32", "to_int64", "transpose", "zeros", "zeros_like"),
)
_NN = (
    *("avg_pool", "avg_pool2d", "bias_add", "conv1d", "conv2d", "conv2d_transpose"),
    *("crelu", "depthwise_conv2d", "dropout", "elu", "embedding_lookup"),
    *("in_top_k", "l2_loss", "l2_normalize", "leaky_relu"),
    *("local_response_normalization", "log_softmax", "lrn", "max_pool", "max_pool2d"),
    *("relu", "relu6", "relu_layer", "selu", "sigmoid"),
    *("sigmoid_cross_entropy_with_logits", "softmax"),
    *("softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2"),
    *("softplus", "softsign", "sparse_softmax_cross_entropy_with_logits", "swish"),
    *("tanh", "weighted_cross_entropy_with_logits", "xw_plus_b", "zero_fraction"),
)
_LOSSES = (
    *("absolute_difference", "cosine_distance", "hinge_loss", "huber_loss"),
    *("log_loss", "mean_squared_error", "sigmoid_cross_entropy"),
    *("softmax_cross_entropy", "sparse_softmax_cross_entropy"),
    *("get_regularization_loss", "get_total_loss"),
)
_RANDOM = ("normal", "uniform", "truncated_normal", "shuffle", "categorical")
_STRINGS = ("as_string", "join", "length", "lower", "to_number", "upper")

_FAMILIES = {
    "": (*_MATH, *_ARRAYS),
    "math.": (*_MATH, *_MATH_ALONE),
    "nn.": _NN,
    "losses.": _LOSSES,
    "random.": _RANDOM,
    "strings.": _STRINGS,
    "linalg.": ("matmul", "trace", "norm", "det", "inv", "diag", "diag_part"),
}

# Symbols as `Scopes.resolve` gives them.
SYMBOLS = frozenset(
    f"tf.{family}{name}" for family, names in _FAMILIES.items() for name in names
)
# Layers of Keras, called with one tensor.
LAYERS = frozenset(
    {"AveragePooling2D", "BatchNormalization", "Conv1D", "Conv2D", "Conv2DTranspose"}
    | {"Dense", "Dropout", "Embedding", "Flatten", "MaxPooling2D", "SeparableConv2D"}
)
