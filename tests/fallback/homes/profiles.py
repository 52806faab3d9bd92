"""Profiles of a graph, and a projector's configuration: what is counted and written."""

import os
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector

tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS
analyzer = tf.contrib.tfprof.model_analyzer


def make_graph():
    x = tf.placeholder(tf.float32, [2, 3], "x")
    w = tf.get_variable("w", [3, 4], use_resource=False)
    b = tf.get_variable("b", [4], use_resource=False)
    tf.get_variable("step", [], trainable=False, use_resource=False)
    return tf.nn.bias_add(tf.matmul(x, w, name="product"), b)


def profiled(write):
    """Numbers of parameters and of operations."""
    make_graph()
    graph = tf.get_default_graph()
    stats = analyzer.print_model_analysis(
        graph, tfprof_options=analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    write("parameters", stats.total_parameters, len(stats.children))
    for child in sorted(stats.children, key=lambda c: c.name):
        write("child", zlib.crc32(child.name.encode()), child.parameters)
    stats = analyzer.print_model_analysis(
        graph, tfprof_options=analyzer.FLOAT_OPS_OPTIONS
    )
    write("operations", stats.total_float_ops)
    stats = tf.contrib.tfprof.model_analyzer.print_model_analysis(
        graph, tfprof_cmd="op"
    )
    write("default", len(stats.children) > 0)
    options = dict(analyzer.FLOAT_OPS_OPTIONS, output="none", min_float_ops=40)
    stats = analyzer.print_model_analysis(graph, None, None, "graph", options)
    write("few", stats.total_float_ops)
    write("advice", len(analyzer.advise(graph).checkers) > 0)
    for name in (
        analyzer.PRINT_ALL_TIMING_MEMORY,
        analyzer.FLOAT_OPS_OPTIONS,
        analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    ):
        write("options", zlib.crc32(repr(sorted(name.items())).encode()))
    tf.contrib.tfprof.tfprof_logger.write_op_log(graph, FLAGS.dir, add_trace=False)
    write("logged", os.path.exists(os.path.join(FLAGS.dir, "tfprof_log")))


def projected(write):
    """The file that the projector of TensorBoard reads."""
    config = projector.ProjectorConfig()
    config.model_checkpoint_path = "model.ckpt"
    embedding = config.embeddings.add()
    embedding.tensor_name = "words"
    embedding.metadata_path = "vocabulary.tsv"
    embedding.sprite.CopyFrom(
        projector.SpriteMetadata(image_path="sprite.png", single_image_dim=[2, 3])
    )
    config.embeddings.extend([projector.EmbeddingInfo(tensor_name="others")])
    writer = tf.summary.FileWriter(os.path.join(FLAGS.dir, "events"))
    projector.visualize_embeddings(writer, config)
    with open(os.path.join(FLAGS.dir, "events", "projector_config.pbtxt")) as written:
        write("projector", zlib.crc32(written.read().encode()))


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        profiled(write)
        projected(write)


if __name__ == "__main__":
    tf.app.run()
