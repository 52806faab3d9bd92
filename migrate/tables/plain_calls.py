"""Calls that make no variable of a layer or cell: they compute, count or update.

Any other call of a step may be the first that a layer gets, and make its variables.
"""

# Of TensorFlow, by their beginnings.
FUNCTIONS = tuple(
    """
    tf.abs tf.add tf.argmax tf.assign tf.cast tf.clip_by_ tf.concat tf.constant
    tf.control_dependencies tf.device tf.div tf.equal tf.exp tf.expand_dims
    tf.global_norm tf.gradients tf.group tf.identity tf.log tf.losses. tf.math.
    tf.matmul tf.maximum tf.minimum tf.multiply tf.name_scope tf.nn.l2_loss tf.nn.relu
    tf.nn.sigmoid tf.nn.softmax tf.nn.sparse_ tf.norm tf.one_hot tf.ones tf.reduce_
    tf.reshape tf.shape tf.sqrt tf.square tf.squeeze tf.stack tf.subtract tf.summary.
    tf.tanh tf.train. tf.trainable_variables tf.transpose tf.variable_scope tf.zeros
    """.split()
)
# Of lists, strings, tensors and optimizers.
METHODS = frozenset(
    {"append", "apply_gradients", "as_list", "compute_gradients", "extend", "format"}
    | {"get_shape", "minimize", "startswith", "endswith"}
)
# Of Python.
BUILTINS = frozenset(
    {"enumerate", "float", "int", "isinstance", "len", "list", "print", "range"}
    | {"reversed", "str", "sum", "tuple", "zip"}
)
