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
    *("divide_no_nan", "l2_normalize", "reduce_euclidean_norm", "reduce_std"),
    *("reduce_variance", "softplus", "xlogy", "zero_fraction"),
)
_ARRAYS = (
    *("argsort", "batch_to_space", "boolean_mask", "broadcast_to", "cast"),
    *("clip_by_average_norm", "clip_by_norm", "clip_by_value", "concat", "constant"),
    *("cholesky", "diag", "diag_part", "div", "div_no_nan", "einsum", "expand_dims"),
    *("eye", "fill", "gather", "gather_nd", "identity", "linspace", "matmul"),
    *("matrix_determinant", "matrix_diag", "matrix_inverse", "matrix_solve"),
    *("matrix_transpose", "norm", "one_hot", "ones", "ones_like", "pad"),
    *("random_crop", "random_normal", "random_shuffle", "random_uniform", "range"),
    *("rank", "repeat", "reshape", "reverse", "roll", "scatter_nd", "sequence_mask"),
    *("shape", "size", "slice", "sort", "space_to_batch", "space_to_depth", "squeeze"),
    *("stack", "stop_gradient", "tensordot", "tile", "to_double", "to_float"),
    *("to_int32", "to_int64", "trace", "transpose", "truncated_normal", "where"),
    *("zeros", "zeros_like"),
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
_IMAGES = (
    *("adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation"),
    *("central_crop", "convert_image_dtype", "crop_to_bounding_box", "decode_image"),
    *("decode_jpeg", "decode_png", "encode_jpeg", "encode_png", "flip_left_right"),
    *("flip_up_down", "hsv_to_rgb", "pad_to_bounding_box"),
    *("per_image_standardization", "random_brightness", "random_contrast"),
    *("random_flip_left_right", "random_flip_up_down", "random_hue"),
    *("random_saturation", "resize", "resize_bilinear", "resize_images"),
    *("resize_image_with_crop_or_pad", "resize_nearest_neighbor", "rgb_to_grayscale"),
    *("resize_with_crop_or_pad", "rgb_to_hsv", "rot90", "transpose"),
)
_FILES = (
    *("decode_image", "decode_jpeg", "decode_png", "decode_raw", "encode_jpeg"),
    *("encode_png", "read_file"),
)
_STRINGS = ("as_string", "join", "length", "lower", "to_number", "upper")

_FAMILIES = {
    "": (*_MATH, *_ARRAYS),
    "math.": (*_MATH, *_MATH_ALONE),
    "nn.": _NN,
    "losses.": _LOSSES,
    "random.": _RANDOM,
    "strings.": _STRINGS,
    "linalg.": (
        *("cholesky", "det", "diag", "diag_part", "inv", "matmul", "norm", "solve"),
        *("tensor_diag", "tensor_diag_part", "trace", "transpose"),
    ),
    "image.": _IMAGES,
    "io.": _FILES,
}

# Symbols as `Scopes.resolve` gives them.
SYMBOLS = frozenset(
    f"tf.{family}{name}" for family, names in _FAMILIES.items() for name in names
)
# Functions that give a list or tuple of tensors.
SEVERAL = frozenset(
    {"tf.meshgrid", "tf.nn.moments", "tf.nn.top_k", "tf.split", "tf.unique"}
    | {"tf.unstack"}
)
# Layers of Keras, called with one tensor.
LAYERS = frozenset(
    {"AveragePooling2D", "BatchNormalization", "Conv1D", "Conv2D", "Conv2DTranspose"}
    | {"Dense", "Dropout", "Embedding", "Flatten", "MaxPooling2D", "SeparableConv2D"}
)
