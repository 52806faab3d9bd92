"""Codes O1xx: optimizers and synchronisation."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "O101",
        "optimizer",
        "tf.compat.v1.train optimizers are TF1's own kernels: equal numerics for dense and sparse gradients, and TF1's slot names in checkpoints.",
    ),
    Code(
        "O102",
        "several synchronisations",
        "More than one SyncReplicasOptimizer.",
    ),
    Code(
        "O103",
        "synchronous else",
        "SyncReplicasOptimizer stands in an else branch. Write the synchronous case as the if branch.",
    ),
    Code(
        "O104",
        "averaged variables",
        "SyncReplicasOptimizer with variable averages is not covered.",
    ),
    Code(
        "O105",
        "optimizer of tf.contrib.opt",
        "AdaMax, Nadam, LazyAdam, AdamW, MomentumW and LARS are in a module that is written beside the file: TF1's updates, dense and sparse, and TF1's slot names in checkpoints. Measured over 100 updates against TF 1.15.5: 0 in float64, at most 2.4e-7 in float32.",
        "opt = tf.contrib.opt.AdamWOptimizer(1e-4, learning_rate=0.01)",
        "opt = contrib_optimizers.AdamWOptimizer(1e-4, learning_rate=0.01)",
    ),
    Code(
        "O106",
        "decided too late",
        "Whether training is synchronous is decided after the server starts; TF2 needs to know before.",
    ),
    Code(
        "O110",
        "optimizer without an equal",
        "No TF2 optimizer has these numerics.",
    ),
    Code(
        "O111",
        "SyncReplicasOptimizer",
        "Every worker runs the program under MultiWorkerMirroredStrategy; gradients are averaged over all workers in every step. If replicas_to_aggregate is not the number of workers the program stops with an error, because TF2 has no equal. Sparse gradients are averaged over all workers; TF1 averaged each row over the workers that touched it.",
    ),
    Code(
        "O112",
        "tf.gradients",
        "tape.gradient of the same values.",
    ),
    Code(
        "O113",
        "decay_var_list of minimize",
        "TF 1.15's minimize forgets decay_var_list before it updates, so that all variables decay (measured). They do here too. Only apply_gradients uses the list.",
    ),
    Code(
        "O114",
        "sparse gradients in synchronous training",
        "Each row of a looked-up table's gradient is averaged over the workers whose batch "
        "has it. TF1's accumulator did that too, for ids that are sorted and distinct "
        "within a batch; of other ids it averaged some and added up the rest, by the order "
        "in which they came. To have in TF1 what the migration computes, look up "
        "tf.unique of the sorted ids.",
    ),
    Code(
        "O116",
        "update within an expression",
        "An update is a statement of a step function. One that is part of another expression, or one of several in a statement, cannot be placed.",
    ),
    Code(
        "O117",
        "gradients taken otherwise",
        "The gradients begin or stop elsewhere than at the loss and the variables, which a tape does not do by an argument.",
    ),
    Code(
        "O118",
        "optimizer made of an expression",
        "A learning rate (or another argument) that a step computes is given to the optimizer by its name.",
    ),
    Code(
        "O120",
        "moving averages",
        "ExponentialMovingAverage outside of a program that is read, or with "
        "zero_debias=True or a decay that a step computes.",
    ),
    Code(
        "O121",
        "synchronisation outside a program",
        "SyncReplicasOptimizer is not part of a program that this version reads.",
    ),
    Code(
        "O122",
        "gradients outside a program",
        "Gradients of a graph. Use tf.GradientTape.",
    ),
)
