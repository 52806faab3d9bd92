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
        "The hook names a tensor of the graph by a string. Give it the tensor.",
    ),
    Code(
        "H103",
        "tag not a string",
        "The tags of LoggingTensorHook must be string constants, as they become keys of observed values.",
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
        "A SessionRunHook of your own talks to the graph session. Derive it from training_session.Hook.",
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
