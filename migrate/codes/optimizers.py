"""Codes O1xx: optimizers and synchronisation."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "O101",
        "optimizer of tf.train or tf.contrib.opt",
        "The optimizer becomes the same one of `tf.compat.v1.train`, with the same numbers for dense and sparse gradients and the same slot names in checkpoints. AdaMax, Nadam, LazyAdam, AdamW, MomentumW and LARS of `tf.contrib.opt` come from a module that the tool writes beside the file.",
        why="These are TensorFlow 1's own kernels. Keras's optimizers of the same name compute other values in some cases, and their slots have other names, so old checkpoints would not fit. We measured that TensorFlow 1.15's `minimize` ignores `decay_var_list`.",
        before="opt = tf.contrib.opt.AdamWOptimizer(1e-4, learning_rate=0.01)",
        after="opt = contrib_optimizers.AdamWOptimizer(1e-4, learning_rate=0.01)",
        promise="Over 100 updates, the difference to TensorFlow 1.15.5 is 0 in float64 and at most 2.4e-7 in float32. `minimize` decays all variables, also if it is given `decay_var_list`, as in TensorFlow 1.15; only `apply_gradients` uses the list.",
    ),
    Code(
        "O106",
        "unsupported choice of synchronous training",
        "The program decides after the server starts whether training is synchronous. Or `SyncReplicasOptimizer` stands in an `else` branch. Or the program has more than one.",
        why="In TensorFlow 2 asynchronous training starts a server in every task, and synchronous training starts none. So the program must know the kind of training before it starts anything. A synchronous program has one strategy, in which all replicas agree on one update in each step.",
        recipe="Decide by a flag, before the server starts, and synchronise once, in the `if` branch.",
    ),
    Code(
        "O110",
        "optimizer that TensorFlow 2 does not have",
        "No optimizer of TensorFlow 2 computes the same values.",
        why="A similar optimizer would train differently, and no error would tell you so. You may accept that, but the tool does not decide it for you.",
    ),
    Code(
        "O111",
        "SyncReplicasOptimizer",
        "Every worker runs the program under `MultiWorkerMirroredStrategy`, which averages the gradients of all workers in every step. If `replicas_to_aggregate` is not the number of workers, the program stops with an error. The gradient of each row of a table is averaged over the workers whose batch contains the row.",
        why="TensorFlow 2 has no accumulators and tokens. An all-reduce between the workers replaces them. If the ids of a batch were sorted and unique, TensorFlow 1's accumulator gave the same result. Otherwise it averaged the rows of some ids and added those of others, which depended on the order of arrival. To make TensorFlow 1 compute what the migrated program computes, look up `tf.unique` of the sorted ids.",
        refused_when="A step counts in a variable of its own (`tf.assign_add`): each worker has a copy of it.",
        promise="If TensorFlow 1's workers kept pace, each update is the same: the mean of one gradient of each worker. Over 200 steps with two workers, SGD and Momentum gave the same bits in float32, and Adam and Adagrad differed by at most 2.4e-7 (1.9e-5 in a run that amplifies rounding). In TensorFlow 1 a fast worker could give two gradients to one update; now each gives exactly one.",
    ),
    Code(
        "O112",
        "tf.gradients",
        "`tf.gradients` by variables becomes `tape.gradient` of the same values. `tf.gradients` by a tensor stays. A loss may use its result, as a gradient penalty does.",
        why="TensorFlow 1 found the gradients by walking the finished graph. TensorFlow 2 records the operations on a tape while they run, and the tape computes the gradients. A step function is traced into a graph, so `tf.gradients` works in it, too. A tape around it records the operations of these gradients, and so finds gradients of gradients.",
        promise="The gradients are the same, in the order of the variables or tensors. A variable that the value does not depend on still has the gradient `None`. Arguments that only changed speed or memory are removed.",
    ),
    Code(
        "O117",
        "tf.gradients in an unsupported form",
        "The program calls `tf.gradients` with `stop_gradients`, or by a part of a list of all variables. Or a loss depends on gradients by variables, as in meta-learning. Or the program computes gradients in a loop, for example over workers, and subtracts each gradient itself.",
        why="The tool writes `tape.gradient` of the loss by the variables. `GradientTape` has no argument like `stop_gradients`: where a gradient stops must be a part of the computation, as `tf.stop_gradient`. In a loop, each pass uses the variables that the pass before has changed. A step function computes all of its gradients first, and then makes one update.",
        recipe="Keep the losses of a loop in a list, and let one optimizer minimise their sum after the loop.",
    ),
    Code(
        "O120",
        "unsupported use of ExponentialMovingAverage",
        "The program uses `ExponentialMovingAverage` in a form that the tool does not support, or gives `SyncReplicasOptimizer` variables to average.",
        why="The class that the tool writes (T107) makes its averages with the program's variables, and moves them by a fixed rule. It does not support a correction of the first steps, a decay that changes from step to step, or an update after the common step of all workers.",
        refused_when="The tool recognises no training program around the averages. Or they use `zero_debias=True`, or a decay that a step computes. Or `SyncReplicasOptimizer` has `variable_averages` or `variables_to_average`.",
    ),
)
