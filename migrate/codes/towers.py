"""N19 and N20: towers and moving averages."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "N128",
        "towers on the tasks of a cluster",
        "One client built a tower on every worker, averaged their gradients and applied "
        "them once. Each tower is a replica on its own task. The client connects to the "
        "cluster; the tasks serve, by their old commands. Variables stay on the task that "
        "the program puts them on.",
        before="for i in range(num_workers):\n"
        '  with tf.device("/job:worker/task:%d" % i):\n'
        "    loss = tower_loss(x_parts[i], y_parts[i])\n"
        "    tower_grads.append(opt.compute_gradients(loss))\n"
        "train_op = opt.apply_gradients(average_gradients(tower_grads))",
        after="tf.config.experimental_connect_to_cluster(cluster)\n"
        "strategy = towers_on_tasks.strategy(\n"
        '    ["/job:worker/task:%d" % i for i in range(num_workers)])\n'
        "replicas = towers_on_tasks.Replicas(strategy)",
        promise="The same values, computed by the same tasks. Each tower is sent what a "
        "step is fed, and takes its part there.",
        refused_when="it is not seen that one client alone builds them (N127), or a tower "
        "does what replicas do not (N126).",
    ),
    Code(
        "N133",
        "towers within each worker of a cluster",
        "Each worker built a tower for each of its GPUs, averaged their gradients and made "
        "one update of them. A step function computes one tower; it is traced for each in "
        "turn, on the worker's one device, and the last one goes on with the means. Between "
        "the workers all is as without towers: asynchronous, or in step.",
        before="with tf.device(tf.train.replica_device_setter(...)):\n"
        "  for i in range(num_gpus):\n"
        '    with tf.device("/gpu:%d" % i):\n'
        "      loss = tower_loss(x_parts[i], y_parts[i])\n"
        "      tower_grads.append(opt.compute_gradients(loss))\n"
        "  train_op = opt.apply_gradients(average_gradients(tower_grads))",
        after="replicas = towers_of_workers.AsynchronousReplicas(\n"
        "    strategy, cluster, towers=num_gpus)\n"
        "...\n"
        "  i = replicas.tower()\n"
        "  ...\n"
        "  opt.apply_gradients(zip(replicas.average(gradients), variables))",
        promise="The same values: a worker's update is the mean of its towers'. Not that "
        "they use several GPUs: start a worker for each, with a tower's part of the batch.",
        refused_when="towers write summaries, draw batches of their own or normalise "
        "batches; a step assigns to variables by itself (N125).",
    ),
    Code(
        "N134",
        "one worker that trains alone",
        "All tasks but one wait in server.join(). Where that one is worker 0 or the chief, "
        "and nothing synchronises it, its loop is run once: `replicas.run(..., workers=1)`.",
    ),
    Code(
        "N190",
        "moving averages of a session's program",
        "ExponentialMovingAverage is that of moving_averages.py, written beside the "
        "program: variables with TF1's names, moved in the step.",
        before="averages = tf.train.ExponentialMovingAverage(0.99, global_step)\n"
        "with tf.control_dependencies([train_op]):\n"
        "  train_op = averages.apply(tf.trainable_variables())",
        after="averages = moving_averages.ExponentialMovingAverage(\n"
        "    replicas, decay=0.99, num_updates=global_step)\n"
        "...\n"
        "    averages.apply(replicas.trainable_variables)",
        promise="The averages are TF1's, and in checkpoints have TF1's names; "
        "`variables_to_restore()` reads TF1's checkpoints too. Of tensors only what the "
        "same operations compute in another step has the same average.",
        refused_when="`zero_debias=True`, or a decay that a step computes (O120).",
    ),
    Code(
        "N191",
        "averages beside the update",
        "Nothing says whether the averages move before or after the update of what they "
        "average. TF1 did now this, now that.",
    ),
    Code(
        "N192",
        "batches that towers draw",
        "Towers that each took the next element of one iterator. A step takes as many "
        "elements at once; the replicas have them in order.",
        before="for i in range(num_gpus):\n"
        '  with tf.device("/gpu:%d" % i):\n'
        "    images, labels = iterator.get_next()",
        after="batches = plain_session.for_towers(dataset, num_gpus)\n"
        "...\n"
        "    images, labels = tower_batches[i]",
        promise="A step has TF1's batches. TF1's towers drew at the same time, so that "
        "which tower had which of them differed from run to run: of several towers' "
        "losses their sum is the same.",
        refused_when="a tower draws several, or in a function of the program's (N126).",
    ),
    Code(
        "N193",
        "batch normalisation in towers",
        "Each tower normalises by its part of the batch. Whose UPDATE_OPS are run - the "
        "first tower's, the last one's, all - moves the averages.",
        before="for i in range(num_gpus):\n"
        '  with tf.name_scope("tower_%d" % i) as scope:\n'
        "    h = tf.layers.batch_normalization(parts[i], training=True)\n"
        "    ...\n"
        "    if i == 0:\n"
        "      updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)",
        after="batch_normalization = tower_normalisation.BatchNormalization(\n"
        '    updated_by="first")',
        promise="The averages are TF1's where one tower's updates are run. Of all towers' "
        "TF1 ran the updates one after the other in no certain order (measured: any); "
        "here from the last tower to the first.",
        refused_when="the updates are asked for several times, or in the loop before "
        "its end (N126); `training` is a tensor (N126).",
    ),
)
