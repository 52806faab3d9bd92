"""Codes V1xx: variables and checkpoints."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "V101",
        "variable scope",
        "tf.name_scope: names stay; sharing is resolved by name when migrating.",
    ),
    Code(
        "V102",
        "variable arguments",
        "The variable's arguments could not be told apart.",
    ),
    Code(
        "V103",
        "variable option",
        "Regularisers, collections, getters and constraints of get_variable are not carried over.",
    ),
    Code(
        "V104",
        "get_variable",
        "tf.Variable with the initializer's value, under TF1's name.",
    ),
    Code(
        "V105",
        "no shape",
        "get_variable without shape or value shares a variable made elsewhere.",
    ),
    Code(
        "V106",
        "global step",
        "The step counter under TF1's name, so that checkpoints continue it.",
    ),
    Code(
        "V107",
        "initial value of a step",
        "A variable's initial value or shape depends on a step-time tensor.",
    ),
    Code(
        "V108",
        "scope option",
        "The scope changes every variable created inside it by a getter, regulariser, dtype or device, "
        "or gives its initialiser to layers and to variables of other functions.",
    ),
    Code(
        "V109",
        "scope object",
        "The variable scope object itself is used, or has no name.",
    ),
    Code(
        "V110",
        "trainable variables",
        "replicas.trainable_variables, in the order of creation as in TF1.",
    ),
    Code(
        "V111",
        "saver of some variables",
        'A Saver of chosen variables is covered where they are listed by the names that the program has for them, [w, b] or {"weights": w}, or chosen from all of them by name: [v for v in tf.trainable_variables() if "encoder" in v.name].',
    ),
    Code(
        "V112",
        "saver",
        "training_session.Saver: TF1's checkpoint format and names, both ways.",
    ),
    Code(
        "V120",
        "variable outside a program",
        "The variable or scope is not part of a program that this version reads.",
    ),
    Code(
        "V121",
        "template",
        "tf.make_template shares variables through the graph.",
    ),
    Code(
        "V122",
        "saver outside a program",
        "The Saver is not part of a program that this version reads.",
    ),
    Code(
        "V123",
        "all variables",
        "TF2 keeps no list of all variables.",
    ),
    Code(
        "V124",
        "global step elsewhere",
        "TF2 keeps no global step by itself; pass the variable to the function.",
    ),
    Code(
        "V125",
        "partitioner outside a program",
        "The partitioner is not part of a program that this version reads.",
    ),
    Code(
        "V126",
        "variable made in a step",
        "A step function runs many times, a variable is made once. Here the two could not be told apart.",
    ),
    Code(
        "V127",
        "variables that are hashed",
        "TF2's variables and tensors compare by value, so they cannot be keys of a dict or elements of a set. Their ref() can.",
    ),
    Code(
        "V128",
        "compared by identity",
        "`v in variables` and `v == w` asked in TF1 whether they are the same object. TF2 compares values, so the question is asked with `is`.",
        "rest = [v for v in tf.trainable_variables() if v not in first]",
        "rest = [v for v in replicas.trainable_variables if all(v is not other for other in first)]",
    ),
    Code(
        "V129",
        "variables by then",
        "tf.trainable_variables() lists the variables that the graph had when it was called. A Keras layer makes its variables in the first step, so that such a list is that of all.",
    ),
)
