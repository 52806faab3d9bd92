"""Functions of contrib.layers and contrib.framework: what each one computes and lists."""

import os
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.contrib import framework, layers, slim

tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS


def checksum(text):
    return zlib.crc32(text.encode())


def draw(*shape):
    return np.random.RandomState(1).randn(*shape).astype("float32") + 1


def check_refusals(function, *given):
    """Counts the calls that a function refuses."""
    refused = 0
    for arguments in given:
        try:
            function(**arguments)
        except ValueError:
            refused += 1
    return refused


def normalised(session, write):
    """Instances and groups, with arguments of a scope; gradients; names."""
    x = tf.constant(draw(2, 3, 4, 6))
    turned = tf.transpose(x, [0, 3, 1, 2])
    unknown = tf.placeholder(tf.float32, [None, 3, 4, 6])
    first = {
        "beta": tf.constant_initializer(0.3),
        "gamma": tf.constant_initializer(2.0),
    }
    with slim.arg_scope(
        [slim.instance_norm, layers.group_norm],
        param_initializers=first,
        outputs_collections="normalised",
        variables_collections=["mine"],
    ):
        found = [
            slim.instance_norm(x),
            layers.instance_norm(turned, data_format="NCHW", activation_fn=tf.nn.relu),
            layers.group_norm(unknown, 3, scope="groups"),
            slim.group_norm(turned, 2, -3, (-2, -1), epsilon=0.1),
        ]
    with slim.arg_scope([layers.layer_norm], scope="unused"):
        found += [
            layers.instance_norm(x, center=False, epsilon=0.5),
            layers.instance_norm(x, scale=False, trainable=False),
            layers.group_norm(x, 6, center=False, mean_close_to_zero=True),
            layers.group_norm(x, 1, scale=False),
            layers.group_norm(unknown, 3, scope="groups", reuse=True),
        ]
    variables = tf.trainable_variables()
    loss = 0.01 * tf.add_n([tf.reduce_sum(f**2 * tf.cumsum(f)) for f in found[:4]])
    gradients = tf.gradients(loss, [x, *variables[:6]])
    session.run(tf.global_variables_initializer())
    feed = {unknown: draw(2, 3, 4, 6) * 3}
    for values in session.run(found, feed):
        write("normalised", values)
    for values in session.run(gradients, feed):
        write("gradients", values)
    for key in ("mine", tf.GraphKeys.MODEL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES):
        write("names", *[checksum(v.name) for v in tf.get_collection(key)])
    points = slim.utils.convert_collection_to_dict("normalised")
    write("points", *[checksum(name) for name in points])
    loose = tf.placeholder(tf.float32, [2, None, None, None])
    refused = check_refusals(
        layers.instance_norm,
        {"inputs": tf.placeholder(tf.float32)},
        {"inputs": loose},
        {"inputs": x, "data_format": "CNHW"},
    )
    write("refused", refused)
    refused = check_refusals(
        layers.group_norm,
        {"inputs": tf.placeholder(tf.float32)},
        {"inputs": loose},
        {"inputs": x, "groups": 4},
        {"inputs": x, "groups": 7},
        {"inputs": x, "channels_axis": 4},
        {"inputs": x, "groups": 2, "reduction_axes": (-2, -1)},
        {"inputs": unknown, "groups": 2, "reduction_axes": (0, 1)},
    )
    write("refused", refused)


def summarized(session, write):
    """Summaries of activations, tensors and collections."""
    x = tf.constant([[-1.0, 2.0], [7.0, 8.0]], name="x")
    relu, relu6 = tf.nn.relu(x, name="relu"), tf.nn.relu6(x, name="relu6")
    w = tf.get_variable("w", [3], initializer=tf.ones_initializer(), use_resource=False)
    b = tf.get_variable("b", [], initializer=tf.ones_initializer(), use_resource=False)
    tf.add_to_collection(tf.GraphKeys.WEIGHTS, w)
    tf.add_to_collection(tf.GraphKeys.BIASES, b)
    for one in (relu, relu6):
        tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, one)
    layers.summarize_activation(relu)
    layers.summarize_activation(tf.tanh(x, name="tanh"))
    write("none", layers.summarize_tensor(tf.constant("text")) is None)
    layers.summarize_tensor(tf.reduce_sum(x, name="sum"))
    layers.summarize_tensor(x, "tagged")
    made = slim.summarize_tensors([relu6, tf.reduce_max(x, name="most")])
    made += layers.summarize_activations("relu6")
    made += layers.summarize_collection(tf.GraphKeys.GLOBAL_VARIABLES, "w")
    write("made", len(made))
    session.run(tf.global_variables_initializer())
    written = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    for value in written.value:
        tag = checksum(value.tag)
        if value.HasField("simple_value"):
            write("scalar", tag, value.simple_value)
        else:
            write("histogram", tag, value.histo.num, value.histo.sum)


def optimized(session, write):
    """Optimizers by name."""
    write(
        "optimizers", *[checksum(name) for name in sorted(layers.OPTIMIZER_CLS_NAMES)]
    )
    write("summaries", *[checksum(name) for name in layers.OPTIMIZER_SUMMARIES])
    for index, (name, cls) in enumerate(sorted(layers.OPTIMIZER_CLS_NAMES.items())):
        w = tf.get_variable(f"w{index}", initializer=[1.0, 2.0])
        train = cls(learning_rate=0.1).minimize(tf.reduce_sum(w**2))
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        write("trained", checksum(name), session.run(w))


def framed(session, write):
    """Variables of frameworks: local, global, the step, those of a checkpoint."""
    local = framework.local_variable(3.0, name="local")
    whole = slim.global_variable(tf.constant([1.0, 2.0]), name="whole")
    step = tf.train.get_or_create_global_step()
    framework.assert_global_step(step)
    write("step", framework.assert_or_get_global_step(None) is step)
    for key in ("local_variables", "variables", "trainable_variables"):
        write("listed", 0, *[checksum(v.op.name) for v in tf.get_collection(key)])
    session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
    write("variables", *session.run([local, whole]))
    path = tf.train.Saver([whole]).save(session, os.path.join(FLAGS.dir, "model"))
    session.run(whole.assign([5.0, 6.0]))
    update, feed = framework.assign_from_checkpoint(path, {"whole": whole})
    session.run(update, feed)
    write("assigned", session.run(whole))
    write("name", checksum(framework.get_variable_full_name(whole)))


def convolved(session, write):
    """Padding in small letters."""
    x = tf.constant(draw(1, 4, 4, 2))
    given = dict(weights_initializer=tf.constant_initializer(0.1))
    found = [
        slim.conv2d(x, 3, 2, padding="valid", **given),
        slim.conv2d(x, 3, 2, padding="same", stride=2, **given),
        slim.conv1d(x[0], 3, 2, padding="valid", **given),
    ]
    session.run(tf.global_variables_initializer())
    for values in session.run(found):
        write("convolved", np.shape(values), values)


def sparse(session, write):
    """Buckets, sparse tensors, scaled gradients."""
    x = tf.constant([[1.0, -5.0], [12.0, 0.0]])
    write("buckets", session.run(slim.bucketize(x, [0.0, 10.0])))
    made = layers.dense_to_sparse(tf.constant([[1, 0], [0, 3]]))
    write("sparse", *session.run([made.indices, made.values, made.dense_shape]))
    pictures = tf.constant(draw(2, 3, 4, 5))
    turned = layers.images_to_sequence(pictures)
    write("turned", session.run(turned))
    back = layers.sequence_to_images(turned, 3)
    write("turned", tf.shape(back).eval(), session.run(back))
    write("pooled", session.run(slim.pool(pictures, [2, 2], "AVG", stride=2)))
    try:
        with slim.arg_scope([layers.summarize_tensor], tag="t"):
            pass
    except ValueError:
        write("unscoped", 1)
    scaled = layers.scale_gradient(x, 0.25)
    write("scaled", *session.run([scaled, tf.gradients(scaled**2, x)[0]]))


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        for part in (normalised, summarized, optimized, framed, convolved, sparse):
            with tf.Graph().as_default(), tf.Session() as session:
                part(session, write)


if __name__ == "__main__":
    tf.app.run()
