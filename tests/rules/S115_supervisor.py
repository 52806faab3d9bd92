import tensorflow as tf

def main(_):

    if FLAGS.job_name == "ps":
        pass
    elif FLAGS.job_name == "worker":

        sv = tf.train.Supervisor(is_chief=(FLAGS.task_index == 0),
                                 logdir=FLAGS.dir + "/logs",
                                 init_op=init_op,
                                 summary_op=None,
                                 saver=saver,
                                 global_step=global_step,
                                 save_model_secs=600)
        with sv.managed_session(server.target) as sess:
            while not sv.should_stop() and step < 30:
                _, value, summary, step = sess.run(
                    [train_op, loss, summary_op, global_step],
                    feed_dict={x: xs, y_: ys})
