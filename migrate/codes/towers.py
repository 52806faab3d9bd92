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
        refused_when="The tool cannot see that one client alone builds the towers (C131). Or a tower does something that a replica cannot do (N126).",
    ),
    Code(
        "N134",
        "only one worker trains",
        "All tasks but one wait in `server.join()`. If the one task that trains is worker 0 or the chief, the migrated program runs its loop once: `replicas.run(..., workers=1)`.",
        why="Worker 0's process is the coordinator: it alone starts steps on the other tasks. Another task cannot take its place.",
        recipe="Let all workers open the session, or train in one process.",
        refused_when="Another task trains, or the training is synchronous.",
    ),
    Code(
        "N191",
        "order of operations that TensorFlow 1 left open",
        "The program does not say which of two operations comes first, or TensorFlow 1's order depended on where the program runs. The migrated program runs them in one fixed order.",
        why="In TensorFlow 1 no control dependency ordered the two, so their order could change from step to step. TensorFlow 2 runs statements in the order in which they are written.",
        before="sess.run([train_op, clip_weights])",
        after="sess.run(train_op)\nsess.run(clip_weights)",
        promise="A moving average and the update of its variables run in the order of the statements. An Estimator on parameter servers moves averages to the values after the update, and TensorFlow 1 moved them to those before it. So TensorFlow 1's averages are one update behind: with one worker, each average after a step is what the migrated program's average was after the step before. The averages of batch normalisation do not depend on the update, so they do not differ. A metric's value that is fetched with its update is the value before the update. If one run trains variables and also assigns to them, the optimizer's update comes first (a warning). If one run makes two updates with one Adam, each update advances `beta1_power` and `beta2_power`, so the second has another rate than the first (a warning). If a program runs with a cluster or without one, a variable that it fetches with its update has the value from before the update; without a cluster TensorFlow 1 gave the value after it (a warning).",
        recipe="If the order matters, run the two operations in two run calls.",
    ),
)
