"""Lines of CSV files in the module; headers skipped; a smaller last batch; no Coordinator's end."""
import sys

import numpy as np
import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
rng = np.random.RandomState(1)
for part in range(3):
    with open("%s/part%d.csv" % (DIR, part), "w") as f:
        f.write("a,b,c,kind\n")
        for _ in range([7, 0, 6][part]):
            row = rng.rand(3).round(3)
            f.write("%g,%g,%g,%s\n" % (row[0], row[1], row[2], "up" if row.sum() > 1.5 else "down"))

filename_queue = tf.train.string_input_producer(
    ["%s/part%d.csv" % (DIR, part) for part in range(3)], num_epochs=4, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, value = reader.read(filename_queue)

# Default values, in case of empty columns. Also specifies the type of the decoded result.
record_defaults = [[1.0], [1.0], [1.0], ["down"]]
col1, col2, col3, col4 = tf.decode_csv(value, record_defaults=record_defaults)
features = tf.stack([col1, col2, col3])
label = tf.cast(tf.equal(col4, "up"), tf.float32)
x, y = tf.train.batch([features, label], batch_size=6, capacity=64, allow_smaller_final_batch=True)

w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
logits = tf.squeeze(tf.matmul(x, w) + b, 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.MomentumOptimizer(0.2, 0.9).minimize(loss)

with tf.Session() as sess, open(DIR + "/loss.0", "w") as log:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    step = 0
    try:
        while True:
            value, rows, _ = sess.run([loss, x, train])
            log.write("%d %r\n" % (step, float(value)))
            log.write("%d %r\n" % (step, float(len(rows))))
            step += 1
    except tf.errors.OutOfRangeError:
        log.write("%d %r\n" % (step, -1.0))
    coord.request_stop()
    coord.join(threads)
