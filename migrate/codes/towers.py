"""N19 and N20: towers and moving averages."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "N128",
        "towers on the tasks of a cluster",
        "One client built a tower on every worker, averaged their gradients and applied them once. Each tower becomes a replica on its own task. The client connects to the cluster, and the tasks serve with their old commands. Variables stay on their tasks.",
        why="A replica of a strategy is what a tower was: the same computation on another part of the batch.",
        before='for i in range(num_workers):\n  with tf.device("/job:worker/task:%d" % i):\n    loss = tower_loss(x_parts[i], y_parts[i])\n    tower_grads.append(opt.compute_gradients(loss))\ntrain_op = opt.apply_gradients(average_gradients(tower_grads))',
        after='tf.config.experimental_connect_to_cluster(cluster)\nstrategy = towers_on_tasks.strategy(\n    ["/job:worker/task:%d" % i for i in range(num_workers)])\nreplicas = towers_on_tasks.Replicas(strategy)',
        promise="The same tasks compute the same values. Each tower receives all that a step is fed, and takes its part.",
        refused_when="The tool cannot see that one client alone builds the towers (N127). Or a tower does what replicas do not do (N126).",
    ),
    Code(
        "N133",
        "towers within each worker of a cluster",
        "Each worker built a tower for each of its GPUs, averaged their gradients and made one update. A step function now computes one tower. It runs for each tower in turn, on the worker's one device, and the last run applies the mean. Between workers nothing changes.",
        why="A worker of a cluster under TensorFlow 2 has one device for its step. To use several GPUs, start a worker for each.",
        before='with tf.device(tf.train.replica_device_setter(...)):\n  for i in range(num_gpus):\n    with tf.device("/gpu:%d" % i):\n      loss = tower_loss(x_parts[i], y_parts[i])\n      tower_grads.append(opt.compute_gradients(loss))\n  train_op = opt.apply_gradients(average_gradients(tower_grads))',
        after="replicas = towers_of_workers.AsynchronousReplicas(\n    strategy, cluster, towers=num_gpus)\n...\n  i = replicas.tower()\n  ...\n  opt.apply_gradients(zip(replicas.average(gradients), variables))",
        promise="The values are the same: a worker's update is the mean of its towers' gradients. The towers do not use several GPUs. For that, start one worker for each GPU, with one tower's part of the batch.",
        refused_when="Towers write summaries, draw batches of their own or normalise batches. Or a step itself assigns to variables (N126).",
    ),
    Code(
        "N134",
        "one worker that trains alone",
        "All tasks but one wait in `server.join()`, and that one is not worker 0 or the chief, or it is synchronised with others. If it is worker 0 or the chief, its loop runs once: `replicas.run(..., workers=1)`.",
        why="Worker 0's process is the coordinator: it alone starts steps on the other tasks. Another task cannot take its place.",
    ),
    Code(
        "N190",
        "moving averages of a session program",
        "`ExponentialMovingAverage` now comes from `moving_averages.py`, written beside the program. Its variables have TensorFlow 1's names and are updated in the step.",
        why="TensorFlow 2's class does not make the variables that TensorFlow 1's checkpoints hold, so the trained averages would be lost. The emitted class makes them, and uses TensorFlow 1's formula.",
        before="averages = tf.train.ExponentialMovingAverage(0.99, global_step)\nwith tf.control_dependencies([train_op]):\n  train_op = averages.apply(tf.trainable_variables())",
        after="averages = moving_averages.ExponentialMovingAverage(\n    replicas, decay=0.99, num_updates=global_step)\n...\n    averages.apply(replicas.trainable_variables)",
        promise="The averages have TensorFlow 1's values, and TensorFlow 1's names in checkpoints. `variables_to_restore()` reads TensorFlow 1's checkpoints. An average of a tensor continues only in steps that compute the tensor by the same operations.",
        refused_when="The averages use `zero_debias=True`, or a decay that a step computes (O120).",
    ),
    Code(
        "N191",
        "averages beside the update",
        "Nothing in the program says whether the averages are updated before or after the variables. The migrated program uses the order of the statements.",
        why="In TensorFlow 1 no control dependency ordered the two, so their order could change from step to step. TensorFlow 2 runs them in the order in which they are written.",
    ),
    Code(
        "N192",
        "batches that towers draw",
        "Each tower took the next element of one iterator. A step now takes as many elements as there are towers, and the replicas receive them in order.",
        why="TensorFlow 1's towers drew at the same time, so the assignment of batches to towers differed from run to run.",
        before='for i in range(num_gpus):\n  with tf.device("/gpu:%d" % i):\n    images, labels = iterator.get_next()',
        after="batches = plain_session.for_towers(dataset, num_gpus)\n...\n    images, labels = tower_batches[i]",
        promise="A step uses the same batches as in TensorFlow 1. Which tower had which batch differed there from run to run. So of the towers' losses only the sum is the same.",
        refused_when="A tower draws several batches, or draws in a function of the program (N126).",
    ),
    Code(
        "N193",
        "batch normalisation in towers",
        "Each tower normalises with its own part of the batch. The towers whose `UPDATE_OPS` the program runs (the first, the last, or all) update the averages.",
        why="Under a strategy a Keras layer's averages are combined from all replicas. In TensorFlow 1 each tower normalised by itself, and the program chose whose averages to keep.",
        before='for i in range(num_gpus):\n  with tf.name_scope("tower_%d" % i) as scope:\n    h = tf.layers.batch_normalization(parts[i], training=True)\n    ...\n    if i == 0:\n      updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)',
        after='batch_normalization = tower_normalisation.BatchNormalization(\n    updated_by="first")',
        promise="If the program runs one tower's updates, the averages are TensorFlow 1's. If it runs all towers' updates, TensorFlow 1 ran them in no fixed order; the migrated program runs them from the last tower to the first.",
        refused_when="The program asks for the updates several times, or in the loop before its end, or `training` is a tensor (N126).",
    ),
)
