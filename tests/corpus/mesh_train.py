"""Trains a small classifier with Mesh TensorFlow, over a mesh of two CPU devices.

Values are fixed, and each step's loss is printed. Adafactor reads all gradients before it
changes anything: plain SGD's updates and reads of one step are in no order.
"""

import mesh_tensorflow as mtf
import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_integer("steps", 10, "steps to train")
FLAGS = tf.app.flags.FLAGS


def values(seed, *shape):
    return tf.constant_initializer(np.random.RandomState(seed).randn(*shape) * 0.3)


def model(image, label, mesh):
    batch, classes = mtf.Dimension("batch", 8), mtf.Dimension("classes", 3)
    rows, columns = mtf.Dimension("rows", 6), mtf.Dimension("columns", 6)
    shape = mtf.Shape([batch, rows, columns, mtf.Dimension("one", 1)])
    x = mtf.import_tf_tensor(mesh, tf.reshape(image, [8, 6, 6, 1]), shape)
    filters = mtf.Dimension("filters", 4)
    x = mtf.layers.conv2d(
        x, filters, filter_size=(3, 3), filter_initializer=values(4, 3, 3, 1, 4)
    )
    x = mtf.reduce_mean(mtf.relu(x), reduced_dim=filters)
    hidden = mtf.Dimension("hidden", 16)
    x = mtf.layers.dense(
        x,
        hidden,
        reduced_dims=[rows, columns],
        activation=mtf.relu,
        name="hidden",
        kernel_initializer=values(2, 6, 6, 16),
    )
    x = mtf.layers.dense(
        x,
        classes,
        reduced_dims=[hidden],
        name="logits",
        kernel_initializer=values(3, 16, 3),
    )
    y = mtf.import_tf_tensor(mesh, label, mtf.Shape([batch]))
    return mtf.reduce_mean(
        mtf.layers.softmax_cross_entropy_with_logits(
            x, mtf.one_hot(y, classes), classes
        )
    )


def main(_):
    state = np.random.RandomState(1)
    images = state.rand(FLAGS.steps, 8, 36).astype(np.float32)
    labels = state.randint(0, 3, (FLAGS.steps, 8)).astype(np.int32)
    image = tf.placeholder(tf.float32, [8, 36])
    label = tf.placeholder(tf.int32, [8])
    graph = mtf.Graph()
    mesh = mtf.Mesh(graph, "mesh")
    loss = model(image, label, mesh)
    variables = graph.trainable_variables
    gradients = mtf.gradients([loss], [v.outputs[0] for v in variables])
    optimizer = mtf.optimize.AdafactorOptimizer(learning_rate=0.05)
    updates = optimizer.apply_grads(gradients, variables)
    placed = mtf.placement_mesh_impl.PlacementMeshImpl(
        [("all", 2)], [("batch", "all")], ["cpu:0", "cpu:1"]
    )
    lowering = mtf.Lowering(graph, {mesh: placed})
    told = lowering.export_to_tf_tensor(loss)
    train = tf.group([lowering.lowered_operation(update) for update in updates])
    copy = lowering.copy_masters_to_slices()
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        session.run(copy)
        for step in range(FLAGS.steps):
            feed = {image: images[step], label: labels[step]}
            value, _ = session.run([told, train], feed)
            print("loss", repr(float(value)))


if __name__ == "__main__":
    tf.app.run()
