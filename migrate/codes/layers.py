"""Codes L1xx: layers and losses."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "L101",
        "layer arguments",
        "The layer's arguments could not be told apart, or one of them is a tensor that only a step "
        "has, where the layer is made before any step.",
    ),
    Code(
        "L102",
        "regulariser",
        "Regularisers collect losses in the graph, which this version does not carry over. Add the penalty to the loss.",
    ),
    Code(
        "L103",
        "dropout",
        "TF2's tf.nn.dropout takes the rate that is dropped, TF1's second argument was what is kept.",
        "tf.nn.dropout(x, keep_prob)",
        "tf.nn.dropout(x, rate=1 - keep_prob)",
    ),
    Code(
        "L104",
        "layer",
        "tf.layers functions are Keras 2 layers (tf_keras) made once under the strategy's scope and called in the step function. Same initial distributions, same variable names.",
        'h = tf.layers.dense(x, 10, name="h")',
        'h = tf_keras.layers.Dense(units=10, name="h")\n...\nh = h(x)',
    ),
    Code(
        "L105",
        "layer class",
        "tf.layers classes are Keras 2 layers of the same name.",
    ),
    Code(
        "L106",
        "update operations",
        "Keras layers update moving averages when called with training=True; there is nothing to run beside the training operation.",
    ),
    Code(
        "L107",
        "labels without gradient",
        "TF1's softmax_cross_entropy_with_logits sent no gradient into the labels; TF2's does, so they are passed through tf.stop_gradient.",
        "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=z)",
        "tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(y), logits=z)",
    ),
    Code(
        "L120",
        "layer outside a program",
        "The layer is not part of a program that this version reads.",
    ),
    Code(
        "L121",
        "collected losses",
        "TF2 collects no losses. Add them up yourself.",
    ),
    Code(
        "L122",
        "layer not built yet",
        "A Keras layer makes its variables when it is first called, in a step function. Before, it has none to show.",
    ),
    Code(
        "L123",
        "averages that never moved",
        "TF1's batch normalisation moves its averages only by the operations in UPDATE_OPS, which this program never runs; Keras's moves them in every training call.",
    ),
    Code(
        "L150",
        "layers of contrib",
        "Layers of tf.contrib.layers and slim are written beside the program, with TF1's variables, names, defaults, argument scopes and collections. They make their variables through variable scopes: functions that make them stay as they are, and every step function that calls them is given the same variables by name.",
        'net = slim.conv2d(images, 32, [5, 5], scope="conv1")',
        'net = contrib_layers.conv2d(images, 32, [5, 5], scope="conv1")',
    ),
    Code(
        "L151",
        "layers of contrib among other things",
        "A function that makes layers of contrib is called in every step function, so it must be a graph's and no more: no placeholders, optimizers, global step, tf.layers or sessions.",
    ),
    Code(
        "L153",
        "model functions of a library",
        "Functions that make layers of contrib, in a file that no program of the run with a session imports, stay functions that build a graph: in a step function the variables are kept by `graph_variables.keep(replicas)`, in a model_fn by the Estimator, in a session of tf.compat.v1 by the graph. Code that executes eagerly must not call them: it would make new variables every time.",
        "from tensorflow.contrib import slim\n\ndef network(x):\n    return slim.fully_connected(x, 10)",
        "import contrib_layers\n\ndef network(x):\n    return contrib_layers.fully_connected(x, 10)",
    ),
    Code(
        "L152",
        "layers of contrib in towers",
        "Towers share variables by a scope that is entered again; for layers of contrib this version does not bring that to replicas.",
    ),
)
