"""shuffle_batch and batch_join of readers alike: the same records, in whatever order."""
import sys

import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
for i in range(4):
    with open("%s/%d.txt" % (DIR, i), "w") as f:
        f.write("".join("%d\n" % (10 * i + j) for j in range(5)))


def read_my_file_format(filename_queue):
    reader = tf.TextLineReader()
    key, line = reader.read(filename_queue)
    example = tf.string_to_number(line)
    doubled = example * 2.0
    return example, doubled


def input_pipeline(filenames, batch_size, read_threads, num_epochs=None):
    filename_queue = tf.train.string_input_producer(
        filenames, num_epochs=num_epochs, shuffle=True)
    example_list = [read_my_file_format(filename_queue)
                    for _ in range(read_threads)]
    min_after_dequeue = 10
    capacity = min_after_dequeue + 3 * batch_size
    example_batch, doubled_batch = tf.train.shuffle_batch_join(
        example_list, batch_size=batch_size, capacity=capacity,
        min_after_dequeue=min_after_dequeue)
    return example_batch, doubled_batch


files = tf.train.match_filenames_once(DIR + "/*.txt")
examples, doubled = input_pipeline(["%s/%d.txt" % (DIR, i) for i in range(4)], 5, 2, num_epochs=3)
number_queue = tf.train.string_input_producer(files, num_epochs=2)
number_list = []
for _ in range(2):
    _, line = tf.TextLineReader().read(number_queue)
    number_list.append([tf.string_to_number(line, tf.int32)])
numbers = tf.train.shuffle_batch_join(number_list, 4, 40, 8, seed=3,
                                      allow_smaller_final_batch=True)

seen, other = [], []
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            one, two = sess.run([examples, doubled])
            assert (two == 2 * one).all()
            seen.extend(one)
    except tf.errors.OutOfRangeError:
        pass
    try:
        while not coord.should_stop():
            other.extend(sess.run(numbers))
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)

with open(DIR + "/loss.0", "w") as log:
    for kind, values in enumerate([seen, other]):
        for value in sorted(values):
            log.write("%d %r\n" % (kind, float(value)))
    # Were they in order, nothing had shuffled them.
    log.write("2 %r\n" % float(seen != sorted(seen)))
    log.write("2 %r\n" % float(other != sorted(other)))
