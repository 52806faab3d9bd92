"""Parts of contrib without an equal, in a program that is refused for its session, too."""

import tensorflow as tf

WITHOUT = [
    tf.contrib.bayesflow.other,
    tf.contrib.boosted_trees.other,
    tf.contrib.constrained_optimization.other,
    tf.contrib.copy_graph.other,
    tf.contrib.crf.other,
    tf.contrib.cudnn_rnn.other,
    tf.contrib.distributions.other,
    tf.contrib.factorization.other,
    tf.contrib.ffmpeg.other,
    tf.contrib.gan.other,
    tf.contrib.graph_editor.other,
    tf.contrib.integrate.other,
    tf.contrib.kernel_methods.other,
    tf.contrib.labeled_tensor.other,
    tf.contrib.model_pruning.other,
    tf.contrib.opt.other,
    tf.contrib.quantize.other,
    tf.contrib.legacy_seq2seq.other,
    tf.contrib.seq2seq.other,
    tf.contrib.solvers.other,
    tf.contrib.tensor_forest.other,
    tf.contrib.tensorrt.other,
    tf.contrib.timeseries.other,
]

w = tf.Variable(1.0)
with tf.Session(target="grpc://localhost:2222") as sess:
    sess.run(w)
