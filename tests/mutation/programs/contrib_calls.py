"""Calls of contrib's functions, with their arguments by place and by name."""

import tensorflow as tf


def build(x, labels, dataset):
    kernel = [
        tf.contrib.layers.xavier_initializer(seed=1, dtype=tf.float32),
        tf.contrib.layers.xavier_initializer_conv2d(seed=2, dtype=tf.float32),
        tf.contrib.layers.xavier_initializer(uniform=False),
    ]
    penalties = [
        tf.contrib.layers.l2_regularizer(0.1),
        tf.contrib.layers.l2_regularizer(scale=0.1 + 0.2, scope="l2"),
        tf.contrib.layers.l1_regularizer(0.1),
        tf.contrib.layers.l1_regularizer(scale=0.2, scope="l1"),
    ]
    flat = [
        tf.contrib.layers.flatten(x),
        tf.contrib.layers.flatten(inputs=x, outputs_collections=None, scope="flat"),
    ]
    hot = [
        tf.contrib.layers.one_hot_encoding(labels, 3, 1.0, 0.0),
        tf.contrib.layers.one_hot_encoding(
            labels=labels, num_classes=3, on_value=2.0, off_value=1.0
        ),
        tf.contrib.layers.one_hot_encoding(
            labels, 3, outputs_collections=None, scope="hot"
        ),
    ]
    pooled = [
        tf.contrib.layers.max_pool2d(x, 2),
        tf.contrib.layers.max_pool2d(x, 2, 1, "SAME"),
        tf.contrib.layers.max_pool2d(inputs=x, kernel_size=2, stride=1, padding="SAME"),
        tf.contrib.layers.max_pool2d(x, [2, 2], outputs_collections=None, scope="pool"),
        tf.contrib.layers.max_pool2d(x, 2, data_format="NCHW"),
        tf.contrib.layers.avg_pool2d(x, 2),
        tf.contrib.layers.avg_pool2d(x, 2, 1, "SAME"),
        tf.contrib.layers.avg_pool2d(inputs=x, kernel_size=2, stride=1, padding="SAME"),
        tf.contrib.layers.avg_pool2d(x, [2, 2], outputs_collections=None, scope="pool"),
    ]
    shares = [
        tf.contrib.layers.softmax(x),
        tf.contrib.layers.softmax(logits=x, scope="share"),
    ]
    return kernel, penalties, flat, hot, pooled, shares


def lose(x, labels, weights):
    return [
        tf.contrib.losses.mean_squared_error(x, labels, weights, "scope"),
        tf.contrib.losses.mean_squared_error(predictions=x, labels=labels, weights=2.0),
        tf.contrib.losses.absolute_difference(x, labels, weights, "scope"),
        tf.contrib.losses.absolute_difference(
            predictions=x, labels=labels, weights=2.0
        ),
        tf.contrib.losses.log_loss(x, labels, weights, 1e-6, "scope"),
        tf.contrib.losses.log_loss(
            predictions=x, labels=labels, weights=2.0, epsilon=1e-5
        ),
        tf.contrib.losses.softmax_cross_entropy(x, labels, weights, 0.1, "scope"),
        tf.contrib.losses.softmax_cross_entropy(
            logits=x, onehot_labels=labels, weights=2.0, label_smoothing=0.2
        ),
        tf.contrib.losses.sparse_softmax_cross_entropy(x, labels, weights, "scope"),
        tf.contrib.losses.sparse_softmax_cross_entropy(
            logits=x, labels=labels, weights=2.0
        ),
        tf.contrib.losses.sigmoid_cross_entropy(x, labels, weights, 0.1, "scope"),
        tf.contrib.losses.sigmoid_cross_entropy(
            logits=x, multi_class_labels=labels, weights=2.0, label_smoothing=0.2
        ),
    ]


def look_up(initializer, words, file):
    return [
        tf.contrib.lookup.HashTable(initializer, -1),
        tf.contrib.lookup.HashTable(
            initializer=initializer, default_value=-1, shared_name="a", name="b"
        ),
        tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1),
        tf.contrib.lookup.MutableHashTable(
            key_dtype=tf.string, value_dtype=tf.int64, default_value=-1, name="b"
        ),
        tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, checkpoint=False),
        tf.contrib.lookup.index_table_from_tensor(words, 1, -1),
        tf.contrib.lookup.index_table_from_tensor(
            mapping=words,
            num_oov_buckets=1,
            default_value=-1,
            dtype=tf.string,
            name="b",
        ),
        tf.contrib.lookup.index_table_from_file(file, 1, None, -1),
        tf.contrib.lookup.index_table_from_file(
            vocabulary_file=file,
            num_oov_buckets=1,
            vocab_size=3,
            default_value=-1,
            name="b",
        ),
        tf.contrib.lookup.index_to_string_table_from_tensor(words, "unknown", "b"),
        tf.contrib.lookup.index_to_string_table_from_tensor(
            mapping=words, default_value="unknown", name="b"
        ),
        tf.contrib.lookup.index_to_string_table_from_file(file, 3, "unknown", "b"),
        tf.contrib.lookup.index_to_string_table_from_file(
            vocabulary_file=file, vocab_size=3, default_value="unknown", name="b"
        ),
    ]


def serve(directory):
    return [
        tf.contrib.predictor.from_saved_model(directory, "predict"),
        tf.contrib.predictor.from_saved_model(
            export_dir=directory, signature_def_key="predict", tags="serve"
        ),
        tf.contrib.predictor.from_saved_model(directory, graph=None, config=None),
    ]


def load():
    return tf.contrib.learn.datasets.load_dataset("mnist")


def load_by_name():
    return tf.contrib.learn.datasets.load_dataset(name="mnist")


def load_other():
    return tf.contrib.learn.datasets.load_dataset("iris")


def run_eagerly(dataset):
    return [
        tf.contrib.eager.Iterator(dataset),
        tf.contrib.eager.Variable(1.0, True),
        tf.contrib.eager.Variable(
            initial_value=1.0, trainable=False, name="v", dtype=tf.float32, shape=[]
        ),
        tf.contrib.eager.Variable(1.0, validate_shape=True),
    ]


def summarise(directory, value, step):
    writer = tf.contrib.summary.create_file_writer(directory, 10, 1000, ".v2", "writer")
    other = tf.contrib.summary.create_file_writer(
        logdir=directory,
        max_queue=10,
        flush_millis=1000,
        filename_suffix=".v2",
        name="w",
    )
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", value, step=step)
        tf.contrib.summary.scalar(name="loss", tensor=value, step=step)
        tf.contrib.summary.histogram("loss", value, step=step)
        tf.contrib.summary.histogram(name="loss", tensor=value, step=step)
        tf.contrib.summary.scalar("loss", value)
    with other.as_default(), tf.contrib.summary.never_record_summaries():
        tf.contrib.summary.scalar("loss", value, step=step)


def distribute(cross):
    return [
        tf.contrib.distribute.MirroredStrategy(["/gpu:0"]),
        tf.contrib.distribute.MirroredStrategy(
            devices=["/gpu:0"], cross_device_ops=cross
        ),
        tf.contrib.distribute.MirroredStrategy(num_gpus=2),
        tf.contrib.distribute.MirroredStrategy(num_gpus_per_worker=2),
        tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=2),
    ]
