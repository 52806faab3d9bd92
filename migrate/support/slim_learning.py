"""tf.contrib.slim.learning.train: a Supervisor's training loop, in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, with graph mode switched on.
"""

import time

import tensorflow as tf

v1 = tf.compat.v1
_DEFAULT = object()


def train_step(sess, train_op, global_step, train_step_kwargs):
    """Runs one update: its loss, and whether training is to stop."""
    began = time.time()
    total_loss, step = sess.run([train_op, global_step])
    seconds = time.time() - began
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        v1.logging.info(
            "global step %d: loss = %.4f (%.3f sec/step)", step, total_loss, seconds
        )
    if "should_stop" in train_step_kwargs:
        return total_loss, sess.run(train_step_kwargs["should_stop"])
    return total_loss, False


def train(
    train_op,
    logdir,
    train_step_fn=train_step,
    train_step_kwargs=_DEFAULT,
    log_every_n_steps=1,
    graph=None,
    master="",
    is_chief=True,
    global_step=None,
    number_of_steps=None,
    init_op=_DEFAULT,
    init_feed_dict=None,
    local_init_op=_DEFAULT,
    init_fn=None,
    ready_op=_DEFAULT,
    summary_op=_DEFAULT,
    save_summaries_secs=600,
    summary_writer=_DEFAULT,
    startup_delay_steps=0,
    saver=None,
    save_interval_secs=600,
    sync_optimizer=None,
    session_config=None,
    session_wrapper=None,
    trace_every_n_steps=None,
    ignore_live_threads=False,
):
    """Trains until a number of steps, or the end of the input; parameters are TF1's.

    Returns:
      The loss of the last step.

    Raises:
      ValueError: there is nothing to train; what needs a directory has none; steps are
        to be traced.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if trace_every_n_steps is not None:
        raise ValueError("trace_every_n_steps is not supported")
    if logdir is None and (summary_op is not _DEFAULT or saver is not None):
        raise ValueError("Cannot provide summary_op or saver because logdir=None")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    if isinstance(sync_optimizer, v1.train.SyncReplicasOptimizer):
        sync_optimizer = [sync_optimizer]
    optimizers = sync_optimizer or []
    if optimizers and startup_delay_steps > 0:
        raise ValueError(
            "startup_delay_steps must be zero when sync_optimizer is supplied."
        )
    graph = graph or v1.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = v1.train.get_or_create_global_step()
        saver = saver or v1.train.Saver()
        with tf.name_scope("init_ops"):
            if init_op is _DEFAULT:
                init_op = v1.global_variables_initializer()
            if ready_op is _DEFAULT:
                ready_op = v1.report_uninitialized_variables()
            if local_init_op is _DEFAULT:
                local_init_op = tf.group(
                    v1.local_variables_initializer(), v1.tables_initializer()
                )
            ready_for_local_init_op = None
            if optimizers:
                with tf.control_dependencies([local_init_op] if local_init_op else []):
                    first = "chief_init_op" if is_chief else "local_step_init_op"
                    local_init_op = tf.group(*[getattr(o, first) for o in optimizers])
                ready_for_local_init_op = tf.group(
                    *[o.ready_for_local_init_op for o in optimizers]
                )
        if summary_op is _DEFAULT:
            summary_op = v1.summary.merge_all()
        if summary_writer is _DEFAULT:
            summary_writer = v1.train.Supervisor.USE_DEFAULT
        # Before the supervisor finalizes the graph.
        tokens = [o.get_init_tokens_op() for o in optimizers if is_chief]
        queues = [o.get_chief_queue_runner() for o in optimizers if is_chief]
        if train_step_kwargs is _DEFAULT:
            train_step_kwargs = {}
            with tf.name_scope("train_step"):
                if number_of_steps:
                    train_step_kwargs["should_stop"] = tf.greater_equal(
                        global_step, number_of_steps
                    )
                if log_every_n_steps > 0:
                    train_step_kwargs["should_log"] = tf.equal(
                        tf.math.floormod(global_step, log_every_n_steps), 0
                    )
    supervisor = v1.train.Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    total_loss = None
    while True:
        try:
            with supervisor.managed_session(
                master, config=session_config, start_standard_services=False
            ) as sess:
                v1.logging.info("Starting Session.")
                if session_wrapper is not None:
                    sess = session_wrapper(sess)
                if is_chief:
                    if logdir:
                        supervisor.start_standard_services(sess)
                elif startup_delay_steps > 0:
                    _wait_for_step(
                        sess,
                        global_step,
                        min(
                            startup_delay_steps, number_of_steps or startup_delay_steps
                        ),
                    )
                threads = supervisor.start_queue_runners(sess)
                v1.logging.info("Starting Queues.")
                if queues:
                    supervisor.start_queue_runners(sess, queues)
                    sess.run(tokens)
                try:
                    while not supervisor.should_stop():
                        total_loss, should_stop = train_step_fn(
                            sess, train_op, global_step, train_step_kwargs
                        )
                        if should_stop:
                            v1.logging.info("Stopping Training.")
                            supervisor.request_stop()
                            break
                except tf.errors.OutOfRangeError as error:
                    v1.logging.info(
                        "Caught OutOfRangeError. Stopping Training. %s", error
                    )
                if logdir and supervisor.is_chief:
                    v1.logging.info("Finished training! Saving model to disk.")
                    supervisor.saver.save(
                        sess, supervisor.save_path, global_step=supervisor.global_step
                    )
                    supervisor.stop(
                        threads,
                        close_summary_writer=True,
                        ignore_live_threads=ignore_live_threads,
                    )
            return total_loss
        except tf.errors.AbortedError as error:
            # A parameter server is gone: the session is made anew, as TF1 did.
            v1.logging.info("Retrying training! %s", error)


def _wait_for_step(sess, global_step, step):
    """Waits until the chief has trained so far."""
    while sess.run(global_step) < step:
        v1.logging.info("Waiting for step %d before starting.", step)
        time.sleep(1)
