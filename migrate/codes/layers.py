"""Codes L1xx: layers and losses."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "L104",
        "layer of tf.layers, now from tf_keras",
        "Functions and classes of `tf.layers` become Keras 2 layers (`tf_keras`) with the same initial distributions and variable names. In a session program they are made once, under the strategy's scope, and called in the step function. In a Keras model they stand in the same place. Code that builds a graph, in a `model_fn` or under `tensorflow.compat.v1`, takes `tf.layers` and `tf.nn.rnn_cell` themselves from `tf_keras`: the same functions and classes, with the same names, collections and defaults.",
        why="A TensorFlow 1 layer function made its variables and computed in one call, and named its weights by its function and a number, as in `dense_1/kernel`. A step function may only compute. Checkpoints find weights by their names, so the Keras layer gets the same name. TensorFlow 2.16 and later use Keras 3, and `tf.compat.v1` no longer leads to TensorFlow 1's layers and cells. The package `tf_keras` still has them.",
        before='h = tf.layers.dense(x, 10, name="h")',
        after='h = tf_keras.layers.Dense(units=10, name="h")\n...\nh = h(x)',
    ),
    Code(
        "L123",
        "batch normalisation averages that never moved",
        "The program uses batch normalisation, but its training operation does not depend on all of `tf.GraphKeys.UPDATE_OPS`. It ignores them, or uses them only in one branch or in another `model_fn`, or removes some of them from the list. Or it asks for those of one scope, asks for them before the last layer is called, or runs them in other runs than the training operation. A run that calls a layer with training true has to run its updates, and no others.",
        why="In TensorFlow 1 the moving averages then kept their initial values, or moved in other runs, and evaluation used those. TensorFlow 2's layers would update them whenever they are called, so the results would differ.",
    ),
    Code(
        "L150",
        "layers of contrib",
        "Layers of `tf.contrib.layers` and `slim` now come from a module that is written beside the program, with TensorFlow 1's variables, names, defaults, argument scopes and collections. Functions that call them stay as they are. Every step function gives them the same variables by name. Functions in a file that no session program of the run imports keep building a graph. In a step function `graph_variables.keep(replicas)` keeps their variables; in a `model_fn` the Estimator does; in a session of `tf.compat.v1` the graph does.",
        why="TensorFlow 2 has no `tf.contrib`. Keras layers have other defaults and other variable names, so old checkpoints would not fit them. The emitted module has TensorFlow 1's. A contrib layer makes its variables when it is called, so something must keep them between the calls.",
        before='net = slim.conv2d(images, 32, [5, 5], scope="conv1")',
        after='net = contrib_layers.conv2d(images, 32, [5, 5], scope="conv1")',
    ),
)
