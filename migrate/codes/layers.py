"""Codes L1xx: layers and losses."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "L104",
        "layer of tf.layers, now from tf_keras",
        "Functions and classes of `tf.layers` become Keras 2 layers (`tf_keras`) with the same initial distributions and variable names. In a session program they are made once, under the strategy's scope, and called in the step function. Code that still builds a graph, in a `model_fn` or under `tensorflow.compat.v1`, takes `tf.layers` and `tf.nn.rnn_cell` from `tf_keras`: the same functions and classes, with the same names, collections and defaults.",
        why="A TensorFlow 1 layer function made its variables and computed in one call, and named its weights by its function and a number, as in `dense_1/kernel`. A step function may only compute. Checkpoints find weights by their names, so the Keras layer gets the same name. TensorFlow 2.16 and later use Keras 3, and `tf.compat.v1` no longer leads to TensorFlow 1's layers and cells. The package `tf_keras` still has them.",
        before='h = tf.layers.dense(x, 10, name="h")',
        after='h = tf_keras.layers.Dense(units=10, name="h")\n...\nh = h(x)',
        promise="From the same weights the layers compute the same values: in 120 steps the largest difference was 4.3e-6, in a moving variance of batch normalisation. `tf.layers.dropout` with a seed drops the same elements as in TensorFlow 1. The class `tf.layers.Dropout` with a seed drops others, and its line says so.",
    ),
    Code(
        "L123",
        "batch normalisation averages that never moved",
        "The program uses batch normalisation, but its training operation does not depend on all of `tf.GraphKeys.UPDATE_OPS`. If a run calls a layer with `training=True`, it must also run the updates of this layer, and no others.",
        why="In such a program of TensorFlow 1 the moving averages kept their initial values, or moved in other runs, and evaluation used them. TensorFlow 2's layers would update them whenever they are called, so the results would differ.",
        recipe="Make the training operation under `tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS))`, after the last layer. Do this in every branch that trains.",
        refused_when="The program ignores the updates, uses them only in one branch or in another `model_fn`, or removes some of them from the list. Or it asks for the updates of one scope, or asks before the last layer is called. Or it runs them in other runs than the training operation. Or, on a cluster, one run moves a layer's averages and also normalises by them.",
    ),
    Code(
        "L150",
        "layers of tf.contrib.layers and slim",
        "Layers of `tf.contrib.layers` and `slim` now come from a module that the tool writes beside the program, with TensorFlow 1's variables, names, defaults, argument scopes and collections. Functions that call them stay as they are. Every step function gives them the same variables by name.",
        why="TensorFlow 2 has no `tf.contrib`. Keras layers have other defaults and other variable names, so old checkpoints would not fit them. A contrib layer makes its variables when it is called, so something must keep them between the calls: `graph_variables.keep(replicas)` in a step function, the Estimator in a `model_fn`, and the graph in a session of `tf.compat.v1`.",
        before='net = slim.conv2d(images, 32, [5, 5], scope="conv1")',
        after='net = contrib_layers.conv2d(images, 32, [5, 5], scope="conv1")',
        promise="The layers have the same variables, names and values. Functions in a file that no session program of the run imports still build a graph.",
    ),
)
