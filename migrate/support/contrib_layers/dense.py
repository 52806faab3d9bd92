"""Dense layers, embeddings and biases."""

import functools

import tensorflow as tf

try:
    import contrib_framework
except ImportError:  # In a package.
    from .. import contrib_framework

from .penalties import xavier_initializer
from .shared import finished, format_of, normalised, variable

add_arg_scope = contrib_framework.add_arg_scope
v1 = tf.compat.v1
_zeros = v1.zeros_initializer()
_xavier = xavier_initializer()


@add_arg_scope
def embed_sequence(
    ids,
    vocab_size=None,
    embed_dim=None,
    unique=False,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """Rows of a table `embeddings`, [..., embed_dim], for ids of any shape."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with v1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        table = contrib_framework.model_variable(
            "embeddings",
            [vocab_size, embed_dim] if vocab_size and embed_dim else None,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        # `unique` only saves work where ids repeat.
        return v1.nn.embedding_lookup(table, ids)


@add_arg_scope
def fully_connected(
    inputs,
    num_outputs,
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """activation(normalizer(inputs . weights) or inputs . weights + biases)."""
    with v1.variable_scope(scope, "fully_connected", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        given = trainable, variables_collections
        weights = variable(
            "weights",
            [inputs.shape[-1], num_outputs],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = variable(
                "biases",
                [num_outputs],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        if inputs.shape.rank == 2:
            outputs = tf.matmul(inputs, weights)
        else:
            outputs = tf.tensordot(inputs, weights, [[inputs.shape.rank - 1], [0]])
        outputs = normalised(outputs, normalizer_fn, normalizer_params, biases)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)


@add_arg_scope
def bias_add(
    inputs,
    activation_fn=None,
    initializer=_zeros,
    regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    data_format="NHWC",
    scope=None,
):
    """Inputs with biases of their channels."""
    with v1.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        first = format_of(data_format) == "NCHW"
        biases = variable(
            "biases",
            [inputs.shape[1 if first else -1]],
            inputs.dtype,
            initializer,
            regularizer,
            trainable,
            variables_collections,
        )
        outputs = tf.nn.bias_add(inputs, biases, "NC..." if first else "N...C")
        return finished(outputs, activation_fn, outputs_collections, opened.name)
