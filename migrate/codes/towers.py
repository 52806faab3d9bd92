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
        refused_when="The tool cannot see that one client alone builds the towers (C131). Or a tower does what replicas do not do (N126).",
    ),
    Code(
        "N134",
        "one worker that trains alone",
        "All tasks but one wait in `server.join()`, and that one is not worker 0 or the chief, or it is synchronised with others. If it is worker 0 or the chief, its loop runs once: `replicas.run(..., workers=1)`.",
        why="Worker 0's process is the coordinator: it alone starts steps on the other tasks. Another task cannot take its place.",
    ),
    Code(
        "N191",
        "order that TensorFlow 1 left open",
        "The program does not say which of two things comes first, and the migrated program uses one fixed order. A moving average and the update of its variables run in the order of the statements. An Estimator on parameter servers moves averages to the values after the update, and TensorFlow 1 moved them to those before it. A metric's value that is fetched with its update is the value before the update. If one run trains variables and also assigns to them, the optimizer's update comes first. The same holds for two updates by one Adam in one run: each of them advances `beta1_power` and `beta2_power`, so the second update has another rate than the first. These two are warnings. So is a variable that a run fetches with its update, if the program runs with a cluster or without one: TensorFlow 1 gave the value before the update with a cluster, and the value after it without one.",
        why="In TensorFlow 1 no control dependency ordered the two, so their order could change from step to step. TensorFlow 2 runs statements in the order in which they are written.",
        before="sess.run([train_op, clip_weights])",
        after="sess.run(train_op)\nsess.run(clip_weights)",
    ),
)
