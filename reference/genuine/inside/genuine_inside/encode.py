"""Values as JSON says them: tensors by name, constants as they are, all else by its type."""

import numpy as np

_DEPTH = 6
_LONG = 64
_ITEMS = 200


def encode(value, depth=0):
    """A value for a projection.

    A list is a marked value: `["t", name]` a tensor, `["op", name]` an operation, `["v", name]` a
    variable, `["l", items...]` a list or tuple, `["d", [key, value]...]` a dict, `["dtype", name]`,
    `["shape", dimensions]`, `["array", dtype, shape, values]`, `["b", text]` bytes, `["f", name]` a
    function, `["o", type]` another object. What is no list is itself.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value if value == value else ["o", "nan"]
    if isinstance(value, str):
        return value[:_ITEMS]
    if isinstance(value, bytes):
        return ["b", value.decode("utf-8", "replace")[:_ITEMS]]
    known = _of_tensorflow(value, depth)
    if known is not None:
        return known
    if isinstance(value, np.ndarray):
        small = value.size <= _LONG and value.dtype.kind in "bif"
        values = value.ravel().tolist() if small else None
        return ["array", value.dtype.name, list(value.shape), values]
    if isinstance(value, np.generic):
        return encode(value.item(), depth)
    if isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, np.generic)
    ):
        return ["dtype", np.dtype(value).name]
    if depth > _DEPTH:
        return ["o", "deep"]
    if isinstance(value, (list, tuple)) or type(value).__name__ == "ListWrapper":
        return ["l"] + [encode(v, depth + 1) for v in list(value)[:_ITEMS]]
    if isinstance(value, dict):
        pairs = [[_key(k, depth), encode(v, depth + 1)] for k, v in value.items()]
        return ["d"] + pairs[:_ITEMS]
    if isinstance(value, type):
        return ["f", value.__name__]
    if callable(value) and hasattr(value, "__name__"):
        return ["f", value.__name__]
    return ["o", type(value).__name__]


def _key(key, depth):
    return key if isinstance(key, str) else encode(key, depth + 1)


def _of_tensorflow(value, depth):
    from tensorflow.python.framework import dtypes, ops, sparse_tensor, tensor_shape
    from tensorflow.python.ops import resource_variable_ops, variables

    if isinstance(value, variables.PartitionedVariable):
        return ["pv", value.name]
    if isinstance(
        value, (variables.Variable, resource_variable_ops.BaseResourceVariable)
    ):
        return ["v", value.op.name]
    if isinstance(value, ops.Tensor):
        return ["t", value.name] if hasattr(value, "op") else ["o", "eager"]
    if isinstance(value, ops.Operation):
        return ["op", value.name]
    if isinstance(value, sparse_tensor.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return ["l"] + [encode(part, depth + 1) for part in parts]
    if isinstance(value, ops.IndexedSlices):
        parts = (value.values, value.indices)
        return ["l"] + [encode(part, depth + 1) for part in parts]
    if isinstance(value, dtypes.DType):
        return ["dtype", value.base_dtype.name]
    if isinstance(value, tensor_shape.TensorShape):
        return ["shape", None if value.ndims is None else value.as_list()]
    if isinstance(value, tensor_shape.Dimension):
        return value.value
    return None
