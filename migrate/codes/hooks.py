"""Codes H1xx: hooks."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "H102",
        "tensor named by a string",
        "A hook names a tensor by a string, and the tool cannot tell which tensor that is. It can where one call has that `name=`, is bound to a variable, stands in scopes that are written out, and the whole graph is in one file.",
        why="A graph of TensorFlow 1 could be asked for a tensor by its name. TensorFlow 2 runs functions, which have no such index, so the tool must find the tensor in the program's text.",
    ),
    Code(
        "H110",
        "hook",
        "The hook, or the base class of your own hook, now comes from an emitted module, under the same name. It has the same arguments and triggers as in TensorFlow 1.15. Your own class keeps its methods, and the emitted session calls them as TensorFlow 1's session did. The tensors that a hook requests become names, under which the step function returns their values. The hook's session reads and assigns variables; the next step sees what is assigned.",
        why="The hooks of `tf.train` ask a graph session for tensors, and TensorFlow 2 has no session. The emitted hooks receive the same values from the step function. A class that overrides a method of TensorFlow 1's hook gets its base class from `derivable_hooks`, which has all of TensorFlow 1's methods and attributes.",
        before="class LossHook(tf.train.SessionRunHook):\n    def before_run(self, run_context):\n        return tf.train.SessionRunArgs(self._loss)\n\nhooks = [LossHook(loss)]",
        after='class LossHook(training_session.SessionRunHook):\n    def before_run(self, run_context):\n        return training_session.SessionRunArgs(self._loss)\n\nhooks = [LossHook("loss")]',
        promise="The hook is called as often and in the same order. It sees the values that a TensorFlow 1 hook saw, and stops the session at the same step.",
    ),
    Code(
        "H122",
        "own hook that cannot be mapped",
        "A `SessionRunHook` class does something that only a graph session can do. It makes tensors or updates, feeds the step, runs more than variables, or passes its session on. Or it overrides methods of a TensorFlow 1 hook that saves, writes summaries or profiles. Or a `CheckpointSaverHook` of a session has listeners. Or it requests a tensor in some runs only, and computing that tensor draws a batch or random numbers, or changes a variable.",
        why="TensorFlow traces the step function before any hook runs. A hook can read what a step returns, but it can no longer add operations or feed values to the step. A step function always computes the same things, so a tensor that is requested in some runs would be computed in all. The training loop saves, writes summaries and profiles, and would never call overriding methods or listeners.",
    ),
)
