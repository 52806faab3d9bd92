"""Graphs of slim's functions, their values and gradients; in TensorFlow 1.15 or by what is emitted.

Records what `test_contrib_layers.py` compares with, under TensorFlow 1.15.5:

  python tests/support/slim_layers.py tests/support/slim_layers.npz

With the directory of the emitted modules as a second argument it computes with those.
This file keeps to Python 3.7's syntax.
"""

import hashlib
import sys
import types

import numpy as np


def digest():
    """What identifies these cases."""
    with open(__file__, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Slim:
    """slim's names, from the emitted modules."""

    def __init__(self):
        import contrib_framework
        import contrib_layers
        import contrib_training

        self._homes = contrib_layers, contrib_framework
        self.utils = contrib_framework
        self.learning = types.SimpleNamespace(
            create_train_op=contrib_training.create_slim_train_op
        )

    def __getattr__(self, name):
        for home in self._homes:
            if hasattr(home, name):
                return getattr(home, name)
        raise AttributeError(name)


def cases(tf, slim):
    """Name -> a function of images and ids that builds a graph."""
    init = tf.random_uniform_initializer(-0.5, 0.5, seed=3)
    drawn = {"weights_initializer": init}

    def penalty(weights):
        return 0.25 * tf.reduce_sum(tf.square(weights))

    def scoped(images, ids):
        with slim.arg_scope(
            [slim.conv2d, slim.fully_connected],
            weights_regularizer=penalty,
            weights_initializer=init,
            activation_fn=tf.nn.elu,
        ):
            with slim.arg_scope([slim.conv2d], stride=2, padding="VALID") as kept:
                net = slim.conv2d(images, 3, [3, 3])
                net = slim.conv2d(net, 4, 1, stride=1, activation_fn=None, scope="one")
            net = slim.flatten(net)
            net = slim.fully_connected(net, 5)
        with slim.arg_scope(kept):
            net = tf.reshape(net, [-1, 1, 5, 1])
            return slim.conv2d(net, 2, [1, 2], scope="again")

    def normalised(is_training):
        def build(images, ids):
            params = {"is_training": is_training, "decay": 0.75, "scale": True}
            with slim.arg_scope(
                [slim.conv2d, slim.fully_connected],
                normalizer_fn=slim.batch_norm,
                normalizer_params=params,
                **drawn,
            ):
                net = slim.conv2d(images, 3, 3)
                net = slim.conv2d(
                    net, 3, 3, normalizer_params=dict(params, center=False)
                )
                return slim.fully_connected(slim.flatten(net), 4, activation_fn=None)

        return build

    def at_once(images, ids):
        net = slim.batch_norm(
            images, decay=0.5, updates_collections=None, activation_fn=tf.nn.relu
        )
        net = slim.batch_norm(net, decay=0.5, fused=False, epsilon=0.01, scope="plain")
        net = slim.batch_norm(tf.reshape(net, [4, 2, 18]), decay=0.5, scale=True)
        return net

    def stacked(images, ids):
        net = slim.repeat(images, 2, slim.conv2d, 3, [3, 3], scope="conv1", **drawn)
        net = slim.max_pool2d(net, [2, 2], scope="pool1")
        net = slim.repeat(net, 2, slim.conv2d, 2, 1, **drawn)
        net = slim.stack(
            net, slim.conv2d, [(4, [3, 3]), (5, [1, 1])], scope="core", **drawn
        )
        net = slim.stack(slim.flatten(net), slim.fully_connected, [6, 4], **drawn)
        return slim.softmax(net, scope="predictions")

    def others(images, ids):
        net = slim.conv2d_transpose(
            images, 4, [3, 2], stride=2, padding="VALID", **drawn
        )
        net = slim.separable_conv2d(net, 5, [3, 3], 2, stride=2, **drawn)
        net = slim.separable_conv2d(net, None, 3, weights_regularizer=penalty, **drawn)
        net = slim.conv2d_transpose(net, 2, 3, normalizer_fn=slim.bias_add, **drawn)
        net = slim.avg_pool2d(net, 2, stride=1, padding="SAME")
        net = slim.layer_norm(net)
        net = slim.unit_norm(net, 3)
        net = slim.maxout(slim.flatten(net), 4)
        return slim.dropout(net, 1.0) + slim.dropout(net, 0.5, is_training=False)

    def channels_first(images, ids):
        # Convolutions of channels first do not run on a CPU.
        net = slim.batch_norm(
            tf.transpose(images, [0, 3, 1, 2]),
            data_format="NCHW",
            fused=False,
            decay=0.5,
        )
        return slim.bias_add(
            net, data_format="NCHW", initializer=tf.constant_initializer(0.5)
        )

    def words(images, ids):
        net = slim.embed_sequence(ids, 7, 3, initializer=init)
        again = slim.embed_sequence(ids, 7, 3, scope="EmbedSequence", reuse=True)
        hot = slim.one_hot_encoding(ids, 3, on_value=2.0)
        return slim.linear(tf.concat([net + again, hot], 2), 2, **drawn)

    def shared(images, ids):
        def tower(reuse):
            with tf.variable_scope("tower", reuse=reuse):
                net = slim.conv2d(images, 2, 3, weights_regularizer=penalty, **drawn)
                return slim.conv2d(net, 2, 3, weights_regularizer=penalty, **drawn)

        return tower(None) + 2.0 * tower(True)

    def initial(images, ids):
        one = slim.variance_scaling_initializer(seed=5)
        two = slim.variance_scaling_initializer(1.0, "FAN_AVG", uniform=True, seed=6)
        net = slim.fully_connected(slim.flatten(images), 4, weights_initializer=one)
        with tf.variable_scope("inner", initializer=tf.constant_initializer(7.0)):
            return slim.fully_connected(net, 3, None, weights_initializer=two)

    def named(images, ids):
        with slim.arg_scope([slim.conv2d, slim.max_pool2d], outputs_collections="ends"):
            net = slim.conv2d(images, 2, 3, scope="c", **drawn)
            with tf.variable_scope("deep"):
                net = slim.conv2d(net, 2, 3, scope="c", **drawn)
            slim.max_pool2d(net, 2, scope="p")
        ends = slim.utils.convert_collection_to_dict("ends")
        return tf.add_n([ends["c"], ends["deep/c"]]) * float(len(ends))

    return {
        "scoped": scoped,
        "normalised": normalised(True),
        "normalised_after": normalised(False),
        "at_once": at_once,
        "stacked": stacked,
        "others": others,
        "channels_first": channels_first,
        "words": words,
        "shared": shared,
        "initial": initial,
        "named": named,
    }


def computed(tf, slim):
    """Case and what of it -> its value, after one update where it has gradients."""
    rng = np.random.RandomState(0)
    inputs = rng.randn(4, 6, 6, 1).astype(np.float32)
    found = {}
    for name in cases(tf, slim):
        with tf.Graph().as_default(), tf.Session() as session:
            images = tf.constant(inputs)
            ids = tf.constant([[1, 2, 0], [6, 2, 2]])
            outputs = cases(tf, slim)[name](images, ids)
            weights = np.cos(np.arange(64, dtype=np.float32))
            flat = tf.reshape(outputs, [-1])
            loss = tf.reduce_sum(flat * np.resize(weights, [int(flat.shape[0])]))
            penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
            if penalties:
                loss += tf.add_n(penalties)
            optimizer = tf.train.GradientDescentOptimizer(0.0625)
            train = (
                slim.learning.create_train_op(
                    loss,
                    optimizer,
                    clip_gradient_norm=2.0,
                    gradient_multipliers={"Conv/weights": 0.5, "deep/c/weights": 0.5},
                )
                if tf.trainable_variables()
                else loss
            )
            session.run(tf.global_variables_initializer())
            found[name + "/outputs"] = session.run(outputs)
            found[name + "/trained"] = session.run(train)
            found[name + "/after"] = session.run(outputs)
            listed = {
                "global": tf.global_variables(),
                "trainable": tf.trainable_variables(),
                "model": slim.get_model_variables(),
                "ending": slim.get_variables_by_suffix("weights"),
                "restored": slim.get_variables_to_restore(exclude=["Conv", "tower"]),
            }
            for key, variables in listed.items():
                names = sorted(v.name for v in variables)
                found[name + "/listed/" + key] = np.array(names, dtype="U")
            for variable in tf.global_variables():
                found[name + "/v/" + variable.name] = session.run(variable)
            found[name + "/penalties"] = np.array(session.run(penalties), np.float32)
            found[name + "/updates"] = np.array(
                len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
            )
    return found


def main(out, emitted=None):
    if emitted:
        sys.path.insert(0, emitted)
        import tensorflow.compat.v1 as tf

        slim = Slim()
    else:
        import tensorflow as tf
        from tensorflow.contrib import slim
    np.savez_compressed(
        out, digest=digest(), version=tf.__version__, **computed(tf, slim)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
