def main(directory, optimizer, shards, lookup, last_step):
    import tensorflow as tf

    train = tf.compat.v1.train
    y = tf.compat.v1.placeholder(tf.float64, [None, 2])
    loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - y))
    train_op = made.minimize(loss, global_step=step)
    with train.MonitoredTrainingSession(checkpoint_dir=directory) as sess:
        while now < last_step:
            sess.run(train_op, dict(zip(fed_by(now), batch(now))))
            now += 1
