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


class Losses:
    """slim.losses, as calls of them are migrated."""

    def __getattr__(self, name):
        import tensorflow.compat.v1 as tf

        def by_name(first, second=None, **kwargs):
            first_name, second_name = {
                "softmax_cross_entropy": ("logits", "onehot_labels"),
                "sigmoid_cross_entropy": ("logits", "multi_class_labels"),
                "log_loss": ("predictions", "labels"),
            }[name]
            given = {first_name: first, second_name: second}
            return getattr(tf.losses, name)(**given, **kwargs)

        return (
            by_name
            if name.endswith(("entropy", "log_loss"))
            else getattr(tf.losses, name)
        )


class Slim:
    """slim's names, from the emitted modules."""

    def __init__(self):
        import contrib_framework
        import contrib_layers
        import contrib_training

        self.losses = Losses()
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

    def lines_and_volumes(images, ids):
        line = tf.reshape(images, [4, 9, 4])
        line = slim.conv1d(line, 3, 3, stride=2, **drawn)
        line = slim.convolution1d(line, 2, 3, rate=2, **drawn)
        line = slim.convolution(line, 2, [2], padding="VALID", **drawn)
        volume = tf.reshape(images, [4, 3, 3, 4, 1])
        volume = slim.conv3d(volume, 2, 2, **drawn)
        volume = slim.max_pool3d(volume, 2, stride=1)
        volume = slim.convolution3d(volume, 2, [1, 2, 2], **drawn)
        volume = slim.avg_pool3d(volume, [1, 1, 2], stride=1)
        image = slim.convolution2d(images, 2, 3, **drawn)
        image = slim.convolution2d_transpose(image, 2, 3, **drawn)
        image = slim.separable_convolution2d(image, 2, 3, 1, **drawn)
        flat = [slim.flatten(one) for one in (line, volume, image)]
        net = slim.elu(tf.concat(flat, 1), 4, **drawn)
        net = slim.relu(net, 4, **drawn)
        return slim.relu6(net, 3, **drawn) + slim.linear(net, 3, **drawn)

    def penalties(images, ids):
        net = slim.flatten(images)
        regularizers = [
            slim.l1_regularizer(0.125),
            slim.l2_regularizer(0.25),
            slim.l1_l2_regularizer(0.5, 0.25),
            slim.sum_regularizer([slim.l1_regularizer(0.5), slim.l2_regularizer(0.5)]),
            slim.l2_regularizer(0.0),
        ]
        initial = [
            slim.xavier_initializer(seed=3),
            slim.xavier_initializer_conv2d(seed=4),
            slim.xavier_initializer(uniform=False, seed=5),
            slim.variance_scaling_initializer(mode="FAN_OUT", seed=6),
            None,
        ]
        initial[-1] = init
        for one, other in zip(regularizers, initial):
            net = slim.fully_connected(
                net, 4, weights_regularizer=one, weights_initializer=other
            )
        extra = slim.variable("extra", [4], initializer=init, regularizer=penalty)
        own = slim.model_variable("own", [4], initializer=init, trainable=False)
        slim.add_model_variable(extra)
        applied = slim.apply_regularization(penalty, [extra, own])
        return net * extra + own + applied

    def lists(images, ids):
        @slim.add_arg_scope
        def scaled(inputs, by=1.0, scope=None):
            with tf.variable_scope(scope, "Scaled", [inputs]):
                return inputs * slim.variable("w", [], initializer=init) * by

        with slim.arg_scope([scaled], by=2.0):
            known = len(slim.current_arg_scope()) + slim.has_arg_scope(scaled)
            assert slim.arg_scope_func_key(scaled) in slim.current_arg_scope()
            net = scaled(scaled(images), by=0.5, scope="other")
        found = (
            slim.get_variables("Scaled"),
            slim.get_variables_by_name("w"),
            slim.get_variables_by_name("w", "other"),
            slim.get_trainable_variables("oth"),
            slim.get_local_variables(),
            slim.filter_variables(
                slim.get_variables(), ["Sc"], ["oth"], reg_search=False
            ),
            [slim.get_unique_variable("other/w")],
        )
        sizes = [len(one) for one in found] + [known]
        return net * tf.constant(sizes, tf.float32)[:6]

    def collected(images, ids):
        flat = slim.flatten(images)[:, :3]
        labels = tf.constant([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
        slim.losses.softmax_cross_entropy(flat, labels, weights=0.5)
        slim.losses.sigmoid_cross_entropy(flat, labels, label_smoothing=0.25)
        slim.losses.log_loss(tf.sigmoid(flat), labels)
        slim.losses.add_loss(
            slim.losses.compute_weighted_loss(tf.abs(flat), weights=2.0) * 0.0
        )
        slim.fully_connected(flat, 2, weights_regularizer=penalty, **drawn)
        parts = slim.losses.get_losses() + slim.losses.get_regularization_losses()
        return tf.stack(parts + [slim.losses.get_total_loss()])

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
        "lines_and_volumes": lines_and_volumes,
        "penalties": penalties,
        "lists": lists,
        "collected": collected,
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
