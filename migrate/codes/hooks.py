"""Codes H1xx: hooks."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "H101",
        "hook arguments",
        "The hook's arguments could not be told apart (a star, or an unknown name).",
    ),
    Code(
        "H102",
        "tensor by name",
        "The hook names a tensor of the graph by a string, and the program does not show which one that is: "
        "a call of it with `name=`, bound to a name, in scopes that are written out, before anything else of "
        "that name, with all of the graph in one file. Give it the tensor.",
    ),
    Code(
        "H103",
        "tag not a string",
        "The tags of LoggingTensorHook must be string constants, as they become keys of observed values; "
        "two hooks may not call different tensors the same.",
    ),
    Code(
        "H104",
        "tensors not written out",
        "The hook's tensors must be written out as a dict, list or tuple.",
    ),
    Code(
        "H105",
        "hook outside a program",
        "The hook is not part of a program that this version reads.",
    ),
    Code(
        "H110",
        "hook",
        "The hook of the same name in the emitted module: same arguments, same triggers as TF 1.15. Tensors it watches are observed in the step function.",
    ),
    Code(
        "H120",
        "own hook",
        "A SessionRunHook of your own in a file without a session or an Estimator that is "
        "seen to call it. In a tree, give the files together that have the hook and the "
        "session.",
    ),
    Code(
        "H121",
        "own hook in a session",
        "A SessionRunHook of the program's own, in a program that opens a session. It keeps "
        "its methods, and training_session calls them as TF1's session did. The tensors "
        "that it asks for become names, under which the step functions give them; its "
        "session reads variables.",
        "class LossHook(tf.train.SessionRunHook):\n"
        "    def before_run(self, run_context):\n"
        "        return tf.train.SessionRunArgs(self._loss)\n"
        "\n"
        "hooks = [LossHook(loss)]",
        "class LossHook(training_session.SessionRunHook):\n"
        "    def before_run(self, run_context):\n"
        "        return training_session.SessionRunArgs(self._loss)\n"
        "\n"
        'hooks = [LossHook("loss")]',
        promise="It is called as often and in the same order, sees the values that TF1's "
        "hook saw, and stops the session where it did.",
    ),
    Code(
        "H122",
        "own hook that is not mapped",
        "A SessionRunHook of the program's own does something that only a graph session "
        "can: it makes tensors, feeds the step, runs more than variables in its session, or "
        "gives the session to others.",
    ),
    Code(
        "H123",
        "asked for in some steps",
        "A hook asks some runs for a tensor that this run does not compute, and computing "
        "it would be seen: it draws a batch or numbers, or changes a variable.",
    ),
    Code(
        "H130",
        "hook derived from TF1's",
        "A class that derives from one of tf.train's hooks, in an Estimator program, and "
        "overrides its methods or reads its attributes. The emitted module "
        "`derivable_hooks` has the hook with TF1's methods and attributes.",
        "class Rates(tf.train.LoggingTensorHook):\n    def after_run(self, run_context, run_values): ...",
        "class Rates(derivable_hooks.LoggingTensorHook):\n    def after_run(self, run_context, run_values): ...",
        promise="The class's methods are called as TF1 called them.",
    ),
    Code(
        "H131",
        "hook derived from TF1's that is not covered",
        "A class overrides methods of a hook whose work is done elsewhere here: saving, "
        "summaries, profiles. Its methods would never be called.",
    ),
)
