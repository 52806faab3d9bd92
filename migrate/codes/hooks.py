"""Codes H1xx: hooks."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "H102",
        "hook that names a tensor by a string",
        "A hook names a tensor by a string, and the tool cannot tell which tensor that is. The tool can tell if exactly one call has that `name=`, its result is assigned to a variable, its scopes are written out, and the whole graph is in one file.",
        why="A graph of TensorFlow 1 could be asked for a tensor by its name. TensorFlow 2 runs functions, which have no such index, so the tool must find the tensor in the program's text.",
        recipe="Pass the tensor itself to the hook.",
    ),
    Code(
        "H110",
        "hook of tf.train, now from a module beside the program",
        "The hook, or the base class of your own hook, now comes from a module that the tool writes beside the program. It has the name, the arguments and the triggers of TensorFlow 1.15. A hook now requests names, and the step function returns the tensors' values under these names.",
        why="The hooks of `tf.train` ask a graph session for tensors, and TensorFlow 2 has no session. The new hooks receive the same values from the step function. A class that overrides a method of TensorFlow 1's hook gets its base class from `derivable_hooks`, which has all of TensorFlow 1's methods and attributes.",
        before="class LossHook(tf.train.SessionRunHook):\n    def before_run(self, run_context):\n        return tf.train.SessionRunArgs(self._loss)\n\nhooks = [LossHook(loss)]",
        after='class LossHook(training_session.SessionRunHook):\n    def before_run(self, run_context):\n        return training_session.SessionRunArgs(self._loss)\n\nhooks = [LossHook("loss")]',
        promise="Your own class keeps its methods. The hook is called as often and in the same order, sees the values that a TensorFlow 1 hook saw, and stops the session at the same step. It can read variables in its session and assign to them; the next step sees the new value.",
    ),
    Code(
        "H122",
        "SessionRunHook that needs a graph session",
        "A `SessionRunHook` class does something that only a graph session can do. It makes tensors or updates, runs more than variables, or passes its session on. Or it feeds something: the hook of a session may feed placeholders in every step, but not in some steps only, and the hook of an Estimator may feed nothing. Or the class of a hook is in a library, which the tool has not read. Or it is in a file that is not part of the run, for example because of `--exclude`.",
        why="TensorFlow traces the step function before any hook runs. A hook can read what a step returns, but it can no longer add operations to the step. A step function always takes and computes the same things. So a hook feeds a value in every step or in none, and a tensor that is requested in some runs would be computed in all. The step function of an Estimator takes only the batch. The training loop saves, writes summaries and profiles, and would never call overriding methods or listeners. A hook of a library was written for the session of TensorFlow 1, and the tool changes only the program's own classes.",
        refused_when="The hook makes tensors or updates, feeds the step, runs more than variables, or passes its session to other code. Or it overrides methods of a TensorFlow 1 hook that saves, writes summaries or profiles. Or a `CheckpointSaverHook` of a session has listeners. Or a list of hooks has one whose class is in no file of the run. Or the hook requests a tensor only in some runs, and computing that tensor draws a batch or random numbers, or changes a variable.",
    ),
)
