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
        "The hook now comes from the emitted module, under the same name. It has the same arguments and triggers as in TensorFlow 1.15. The step function returns the tensors that it watches.",
        why="The hooks of `tf.train` ask a graph session for tensors, and TensorFlow 2 has no session. The emitted hooks receive the same values from the step function.",
    ),
    Code(
        "H120",
        "hook class without its user",
        "The file defines a `SessionRunHook`, but no session or Estimator in sight calls it.",
        why="In a session program a hook stays a hook. In a program with Estimators it may become a Keras callback. Without the caller the tool cannot choose.",
        recipe="Give the tool the whole tree, so that it sees the hook together with its session.",
    ),
    Code(
        "H121",
        "own hook in a session",
        "A `SessionRunHook` class of the program keeps its methods, and `training_session` calls them as TensorFlow 1's session did. The tensors that it requests become names. Step functions return values under these names, and the hook's session reads variables.",
        why="A step function returns values by name. It has no tensors that a hook could request later.",
        before="class LossHook(tf.train.SessionRunHook):\n    def before_run(self, run_context):\n        return tf.train.SessionRunArgs(self._loss)\n\nhooks = [LossHook(loss)]",
        after='class LossHook(training_session.SessionRunHook):\n    def before_run(self, run_context):\n        return training_session.SessionRunArgs(self._loss)\n\nhooks = [LossHook("loss")]',
        promise="The hook is called as often and in the same order. It sees the values that a TensorFlow 1 hook saw, and stops the session at the same step.",
    ),
    Code(
        "H122",
        "own hook that cannot be mapped",
        "A `SessionRunHook` class does something that only a graph session can do. It makes tensors or updates, feeds the step, runs more than variables, or passes its session on. Or it overrides methods of a TensorFlow 1 hook that saves, writes summaries or profiles.",
        why="TensorFlow traces the step function before any hook runs. A hook can read what a step returns, but it can no longer add operations or feed values to the step. The training loop saves, writes summaries and profiles, and would never call overriding methods.",
    ),
    Code(
        "H123",
        "requested only in some steps",
        "A hook requests a tensor in some runs only, and this run does not compute it. Computing it would have an effect: it draws a batch or random numbers, or changes a variable.",
        why="A step function always computes the same things. Computing the tensor in every step would change the training.",
    ),
    Code(
        "H130",
        "hook class derived from TensorFlow 1's",
        "A class in an Estimator program derives from a hook of `tf.train` and overrides its methods or reads its attributes. Its base class now comes from the emitted module `derivable_hooks`, which has TensorFlow 1's methods and attributes.",
        why="The other emitted hooks have fewer methods and attributes than TensorFlow 1's classes. A class that overrides a method would not be called where TensorFlow 1 called it.",
        before="class Rates(tf.train.LoggingTensorHook):\n    def after_run(self, run_context, run_values): ...",
        after="class Rates(derivable_hooks.LoggingTensorHook):\n    def after_run(self, run_context, run_values): ...",
        promise="The class's methods are called when TensorFlow 1 called them.",
    ),
)
