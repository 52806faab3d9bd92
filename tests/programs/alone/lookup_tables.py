"""Words by their places in a vocabulary, of a tensor and of a file; others are hashed."""
import sys

import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
with open(out + "/words.txt", "w") as vocabulary:
    vocabulary.write("emerson\nlake\npalmer\n")
words = tf.placeholder(tf.string, [None])
table = tf.contrib.lookup.index_table_from_tensor(
    mapping=tf.constant(["emerson", "lake", "palmer"]), num_oov_buckets=3)
back = tf.contrib.lookup.index_to_string_table_from_tensor(
    ["emerson", "lake", "palmer"], default_value="other")
lines = tf.contrib.lookup.index_table_from_file(out + "/words.txt", default_value=3)
numbered = tf.contrib.lookup.index_to_string_table_from_file(out + "/words.txt")
pairs = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(["lake", "king"], [5, 7]), -1)
ids = table.lookup(words)
again = back.lookup(ids)
of_file = lines.lookup(words)
named = numbered.lookup(of_file)
paired = pairs.lookup(words)
weights = tf.get_variable("weights", [6], initializer=tf.zeros_initializer())
loss = (tf.reduce_sum(tf.square(tf.gather(weights, ids) - 1.0))
        + tf.reduce_mean(tf.cast(of_file + tf.cast(paired, tf.int64), tf.float32)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.tables_initializer())
    for step, batch in enumerate((["lake", "moon"], ["palmer", "zappa", "emerson"],
                                  ["lake", "king", "crimson"], ["lake", "lake"],
                                  ["palmer"], ["moon", "palmer"])):
        _, value, places, words_, names = sess.run(
            [train_op, loss, ids, again, named], {words: batch})
        log.write("%d %r\n" % (step, float(value)))
        print(list(places), list(words_), list(names))
log.close()
