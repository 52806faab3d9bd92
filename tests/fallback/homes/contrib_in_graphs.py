"""Functions of contrib that graph mode has a home for: what each computes, line by line."""

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import crf, framework, metrics, seq2seq, slim, training

tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS
LENGTHS = [4, 1, 2, 3]


def scores():
    return np.random.RandomState(1).randn(4, 4, 3).astype("float32")


def tags():
    return np.random.RandomState(2).randint(0, 3, [4, 4]).astype("int32")


def fields(session, write):
    """A field is trained, and decoded."""
    inputs = tf.get_variable("scores", initializer=scores())
    lengths = tf.constant(LENGTHS)
    between = np.random.RandomState(3).randn(3, 3).astype("float32")
    transitions = tf.get_variable("transitions", initializer=between)
    likelihood, _ = crf.crf_log_likelihood(
        inputs, tf.constant(tags()), lengths, transitions
    )
    loss = -tf.reduce_mean(likelihood)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    best, score = crf.crf_decode(inputs, transitions, lengths)
    bitmap = tf.constant(np.random.RandomState(4).rand(4, 4, 3) > 0.3)
    several = crf.crf_multitag_sequence_score(inputs, bitmap, lengths, transitions)
    norm = crf.crf_log_norm(inputs, lengths, transitions)
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        write("likelihood", session.run([likelihood, train])[0])
        write("norm", session.run(norm))
        write("decoded", *session.run([best, score]))
    write("several", session.run(tf.where(tf.is_finite(several), several, norm)))
    write("viterbi", *crf.viterbi_decode(scores()[0], between))


def sequences(session, write):
    """Losses of sequences, averaged and summed over each axis."""
    logits, targets = tf.constant(scores()), tf.constant(tags())
    weights = tf.constant(
        np.array([[1, 1, 0.5, 0], [1, 0, 0, 0], [0] * 4, [1] * 4], "float32")
    )
    write("loss", session.run(seq2seq.sequence_loss(logits, targets, weights)))
    for time, batch in ((True, False), (False, True), (False, False)):
        averaged = seq2seq.sequence_loss(
            logits,
            targets,
            weights,
            average_across_timesteps=time,
            average_across_batch=batch,
        )
        summed = seq2seq.sequence_loss(
            logits,
            targets,
            weights,
            average_across_timesteps=False,
            average_across_batch=False,
            sum_over_timesteps=time,
            sum_over_batch=batch,
        )
        write("sequences", session.run(averaged), session.run(summed))


def streamed(session, write):
    """Metrics over three batches."""
    p, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [None])
    w = tf.placeholder(tf.float32, [None])
    marks = [0.2, 0.5, 0.8]
    found = [
        metrics.streaming_percentage_less(p, 0.4, w),
        metrics.streaming_sensitivity_at_specificity(p, y, 0.6, num_thresholds=50),
        metrics.streaming_specificity_at_sensitivity(p, y, 0.6, weights=w),
        metrics.streaming_precision_at_thresholds(p, y, marks),
        metrics.streaming_recall_at_thresholds(p, y, marks, weights=w),
        metrics.streaming_true_positives_at_thresholds(p, y, marks),
        metrics.streaming_true_negatives_at_thresholds(p, y, marks),
        metrics.streaming_false_positives_at_thresholds(p, y, marks),
        metrics.streaming_false_negatives_at_thresholds(p, y, marks),
        metrics.streaming_mean_cosine_distance(
            tf.nn.l2_normalize(tf.reshape(p, [-1, 2]), 1),
            tf.nn.l2_normalize(1 + tf.cast(tf.reshape(y, [-1, 2]), tf.float32), 1),
            1,
        ),
    ]
    session.run(tf.local_variables_initializer())
    random = np.random.RandomState(5)
    for _ in range(3):
        feed = {p: random.rand(8), y: random.randint(0, 2, 8), w: random.rand(8)}
        session.run([update for _, update in found], feed)
        write("metrics", *session.run([value for value, _ in found]))


def placed(write):
    """Where variables are placed, of three parameter servers."""
    greedy = training.GreedyLoadBalancingStrategy(3, training.byte_size_load_fn)
    for strategy in (greedy, training.RandomStrategy(3, seed=7)):
        setter = tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy)
        with tf.Graph().as_default(), tf.device(setter):
            for index, size in enumerate((7, 2, 3, [], 4, 9, 1, 1)):
                size = [size] if isinstance(size, int) else size
                made = tf.get_variable(f"v{index}", size, use_resource=False)
                write("placed", int(made.device.split("task:")[1].split("/")[0]))


def assigned(session, write):
    """Variables that get values by name, and those of a checkpoint."""
    one = tf.get_variable("one", [2], initializer=tf.ones_initializer())
    two = tf.get_variable("two", [2, 2], initializer=tf.ones_initializer())
    new = {"one": np.array([3.0, 4.0]), "two": np.arange(4.0)}
    update, feed = framework.assign_from_values(new)
    session.run(tf.global_variables_initializer())
    session.run(update, feed)
    write("values", *session.run([one, two]))
    path = tf.train.Saver([one]).save(session, os.path.join(FLAGS.dir, "part"))
    framework.assign_from_values_fn({"one": np.zeros(2)})(session)
    write("emptied", *session.run([one, two]))
    slim.assign_from_checkpoint_fn(path, [one, two], ignore_missing_vars=True)(session)
    write("restored", *session.run([one, two]))


def trained(write, steps):
    """slim's loop: steps that are counted, an init_fn, a step function of one's own."""
    w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.square(w - [1.0, 2.0, 3.0]))
    train_op = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.1))

    start = w.assign([0.5, 0.5, 0.5])

    def first(session):
        session.run(start)

    def step(session, op, global_step, kwargs):
        total, stop = slim.learning.train_step(session, op, global_step, kwargs)
        write("step", total, session.run(global_step))
        return total, stop

    logdir = os.path.join(FLAGS.dir, "slim")
    last = slim.learning.train(
        train_op,
        logdir,
        train_step_fn=step,
        number_of_steps=steps,
        init_fn=first,
        log_every_n_steps=2,
    )
    write("trained", last, tf.train.load_checkpoint(logdir).get_tensor("w"))


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        for part in (fields, sequences, streamed, assigned):
            with tf.Graph().as_default(), tf.Session() as session:
                part(session, write)
        placed(write)
        for steps in (4, 6):  # The second one continues.
            with tf.Graph().as_default():
                trained(write, steps)


if __name__ == "__main__":
    tf.app.run()
