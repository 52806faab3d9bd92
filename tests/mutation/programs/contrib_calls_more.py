import tensorflow as tf


def build(x, scale, name):
    flat = tf.contrib.layers.flatten(x)
    again = tf.contrib.layers.flatten(x, None)
    pooled = tf.contrib.layers.max_pool2d(x, 2, 2, "SAME")
    others = tf.contrib.layers.max_pool2d(x, 2, 2, "SAME", "NHWC")
    penalty = tf.contrib.layers.l2_regularizer(scale)
    words = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
    words = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name)
    rows = tf.contrib.lookup.index_to_string_table_from_file(name, 3, "UNK", "rows")
    more = tf.contrib.lookup.index_to_string_table_from_file(name, 3, "UNK", "rows", 0)
    always, never = (
        tf.contrib.summary.always_record_summaries(),
        tf.contrib.summary.never_record_summaries(),
    )
    one = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    other = tf.contrib.distribute.MirroredStrategy(None, 2)
    print(pooled, others)
    return flat, again, penalty, words, rows, more, always, never, one, other
