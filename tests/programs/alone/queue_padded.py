"""Many records read at once, batched in two stages; sequences padded; whole files with their names."""
import sys

import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
for i in range(3):
    with tf.python_io.TFRecordWriter("%s/%d.rec" % (DIR, i)) as writer:
        for j in range([5, 2, 4][i]):
            writer.write((" ".join(str(k) for k in range(i, i + j + 1))).encode())
    with open("%s/%d.doc" % (DIR, i), "w") as f:
        f.write("x" * (3 * i + 1))
RECORDS = ["%s/%d.rec" % (DIR, i) for i in range(3)]
DOCS = ["%s/%d.doc" % (DIR, i) for i in range(3)]

reader = tf.TFRecordReader()
queue = tf.train.string_input_producer(RECORDS, num_epochs=2, shuffle=False)
_, lines = reader.read_up_to(queue, 3)
one_line = tf.train.batch([lines], 1, enqueue_many=True)
words = tf.string_split(one_line).values
numbers = tf.string_to_number(words)
length = tf.size(words)
sequences, lengths = tf.train.batch([numbers, length], 4, dynamic_pad=True,
                                    allow_smaller_final_batch=True)

doc_queue = tf.train.string_input_producer(DOCS, num_epochs=3, shuffle=True, seed=2)
name, text = tf.WholeFileReader().read(doc_queue)
names, texts = tf.train.batch([name, tf.cast(tf.strings.length(text), tf.float32)], batch_size=2)

index = tf.train.range_input_producer(5, shuffle=False).dequeue()
pair_queue = tf.train.input_producer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], seed=8)
pairs = pair_queue.dequeue_many(2)
again = tf.train.batch_join([[tf.strings.length(tf.TextLineReader().read(
    tf.train.string_input_producer([DIR + "/2.doc"]))[1])]], 2)

w = tf.Variable(1.0)
total = tf.reduce_sum(sequences * w) / tf.cast(tf.reduce_sum(lengths), tf.float32)
train_op = tf.train.GradientDescentOptimizer(0.001).minimize(total)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
tf.local_variables_initializer().run()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
log = open(DIR + "/loss.0", "w")
for step in range(8):
    log.write("%d %r\n" % (step, float(index.eval())))
    log.write("%d %r\n" % (step, float(pairs.eval()[0, 0] * 10 + pairs.eval()[1, 1])))
    log.write("%d %r\n" % (step, float(again.eval().sum())))
try:
    step = 0
    while not coord.should_stop():
        value, width, _ = sess.run([total, sequences, train_op])
        log.write("%d %r\n" % (step, float(value)))
        log.write("%d %r\n" % (step, float(width.shape[0] * 100 + width.shape[1])))
        step += 1
except tf.errors.OutOfRangeError:
    log.write("%d -1\n" % step)
try:
    while not coord.should_stop():
        files, sizes = sess.run([names, texts])
        for f, size in zip(files, sizes):
            log.write("%d %r\n" % (int(f.decode()[-5]), float(size)))
except tf.errors.OutOfRangeError:
    log.write("9 -2\n")
coord.request_stop()
coord.join(threads)
log.close()
sess.close()
