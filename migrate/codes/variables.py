"""Codes V1xx: variables and checkpoints."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "V101",
        "variable scope",
        "`tf.variable_scope` becomes `tf.name_scope`, so names stay. The tool resolves shared variables by name.",
        why="TensorFlow 2 has no variable scopes. A Python name shares a variable.",
    ),
    Code(
        "V103",
        "variable option",
        "`get_variable` has a regulariser, a collection, a getter or a constraint.",
        why="These act through the graph, so the tool does not carry them over.",
    ),
    Code(
        "V104",
        "get_variable",
        "`tf.get_variable` becomes `tf.Variable` with the initializer's value, under TensorFlow 1's name.",
        why="TensorFlow 2 has no store of variables by name. Checkpoints still find the variable by its name.",
    ),
    Code(
        "V105",
        "variable without a shape",
        "`get_variable` has no shape and no value.",
        why="In TensorFlow 1 this shares a variable that was made elsewhere. TensorFlow 2 has no store of variables in which to find it.",
    ),
    Code(
        "V106",
        "global step",
        "The step counter becomes a variable under TensorFlow 1's name.",
        why="Checkpoints continue it by that name.",
    ),
    Code(
        "V107",
        "initial value from a step",
        "A variable's initial value or shape depends on a tensor of the step.",
        why="A variable is made before any step runs.",
    ),
    Code(
        "V108",
        "scope option",
        "A variable scope changes every variable inside it with a getter, a regulariser, a dtype or a device. Or its initializer applies to layers or to variables of other functions.",
        why="TensorFlow 2 has no variable scopes, so each variable needs its own argument.",
    ),
    Code(
        "V109",
        "scope object",
        "The program uses the variable scope object itself, or a scope without a name.",
        why="Variable scopes become name scopes, which are known by name only.",
    ),
    Code(
        "V110",
        "trainable variables",
        "`tf.trainable_variables()` becomes `replicas.trainable_variables`, in the order of creation as in TensorFlow 1.",
        why="TensorFlow 2 keeps no list of variables.",
    ),
    Code(
        "V111",
        "saver of some variables",
        'The tool cannot tell which variables the `Saver` has. It understands lists of names such as `[w, b]` or `{"weights": w}`, and choices by name such as `[v for v in tf.trainable_variables() if "encoder" in v.name]`.',
        why="The emitted saver writes exactly the variables that TensorFlow 1's wrote.",
    ),
    Code(
        "V112",
        "saver",
        "`tf.train.Saver` becomes `training_session.Saver`. It reads and writes TensorFlow 1's checkpoint format and names.",
        why="`tf.compat.v1.train.Saver` needs a session.",
    ),
    Code(
        "V121",
        "template",
        "The program uses `tf.make_template`.",
        why="Templates share variables through the graph.",
        recipe="Make a `tf.Module` with the variables.",
    ),
    Code(
        "V123",
        "all variables",
        "The program asks for the list of all variables.",
        why="TensorFlow 2 keeps no such list.",
        recipe="Pass the variables along.",
    ),
    Code(
        "V124",
        "global step elsewhere",
        "A function asks the graph for the global step.",
        why="TensorFlow 2 keeps no global step by itself.",
        recipe="Pass the step variable to the function.",
    ),
    Code(
        "V126",
        "variable made in a step",
        "The tool cannot separate a variable, layer or optimizer that is made here from what is computed with it.",
        why="A variable is made once, but a step function runs many times.",
    ),
    Code(
        "V127",
        "hashed variables",
        "The program uses variables as keys of a dict or elements of a set.",
        why="TensorFlow 2's variables and tensors compare by value, so they cannot be hashed. Their `ref()` can.",
    ),
    Code(
        "V128",
        "compared by identity",
        "`v in variables` and `v == w` become tests with `is`.",
        why="TensorFlow 1 compared variables by identity. TensorFlow 2 compares their values.",
        before="rest = [v for v in tf.trainable_variables() if v not in first]",
        after="rest = [v for v in replicas.trainable_variables if all(v is not other for other in first)]",
    ),
    Code(
        "V129",
        "variables by then",
        "The program lists the trainable variables before all layers are made.",
        why="In TensorFlow 1 the list had the variables that existed by then. A Keras layer makes its variables in the first step, so the list would have all of them or fewer.",
    ),
)
