"""Codes V1xx: variables and checkpoints."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "V103",
        "variable or scope with unsupported options",
        "A variable, a layer or a variable scope has an option that the tool does not carry over, or shares variables in a way that the tool cannot follow.",
        why="These options act through the graph: they add the variable to collections, add penalties to a list of losses, or replace how every variable inside a scope is made. A TensorFlow 2 variable has no graph to act on. A variable scope becomes a name scope, which is only a part of a name: it passes nothing on, and cannot be entered again. TensorFlow 1 shared variables by their full names. The migrated program shares them by calling what the first call made, which is right only if both calls make the same. Each recurrent cell is made once with its own variables.",
        refused_when="A variable, a layer or a scope has a regulariser, a collection, a getter, a constraint, a dtype or a device in an unsupported place. Or the tool cannot tell which initializer of a scope a layer, a cell or a variable of another function takes. Or the program uses the variable scope object itself, or a scope without a name. Or a recurrent cell shares variables through a scope that is entered again, its scope is an object, or its dropout has a seed. Or the program calls a function again that makes variables, and the tool cannot tell which variables the two calls share. Or a scope with `reuse` asks for a variable of a layer, or for one that no statement makes.",
    ),
    Code(
        "V104",
        "variable, list of variables, variable scope or global step",
        "`tf.get_variable` becomes `tf.Variable` with the initializer's value, under TensorFlow 1's name. `tf.variable_scope` becomes `tf.name_scope`, so names stay. The tool resolves shared variables by name. The step counter becomes a variable under TensorFlow 1's name, and `tf.train.global_step(sess, step)` becomes the variable's own value. `tf.trainable_variables()` becomes `replicas.trainable_variables`, in the order of creation. Layers and optimizers create their variables in the first step, after all others. So the order of a list may differ from TensorFlow 1's. If the order matters, the tool writes the list out. If it cannot, and the program prints the list, it gives a warning.",
        why="TensorFlow 2 has no store of variables by name. A scope only adds to names, and code shares a variable by using the same Python object. Checkpoints, summaries and hooks still find the variable by its name, so an old checkpoint continues where it stopped. A TensorFlow 2 variable has its value at any time, and needs no session to be read. TensorFlow 2 keeps no list of the graph's variables, so the object `replicas` records them as the program makes them.",
        promise="Variables have the same names, shapes and types, and an old checkpoint fits. An initial value with an operation seed is the same, except of an initializer of `tf.keras`. Without one the distribution is the same, but other numbers are drawn, also after `tf.set_random_seed`.",
    ),
    Code(
        "V111",
        "Saver with an unknown list of variables",
        'The tool cannot tell which variables the `Saver` has. It understands lists of names such as `[w, b]` or `{"weights": w}`, and choices by name such as `[v for v in tf.trainable_variables() if "encoder" in v.name]`.',
        why="A checkpoint must contain the same variables as before, or other programs could not read it. So the tool must know exactly which variables the saver has.",
    ),
    Code(
        "V112",
        "tf.train.Saver",
        "`tf.train.Saver` becomes `training_session.Saver`. If the program needs no session, it becomes `tf.compat.v1.train.Saver` with the list of variables. Both read and write TensorFlow 1's checkpoint format and names.",
        why="TensorFlow 1's Saver finds the variables in the graph, and reads them through a session. The migrated program has neither. `training_session.Saver` finds the variables by itself. `tf.compat.v1.train.Saver` works in eager mode if it gets the list of variables, and None in place of the session.",
        promise="Checkpoints have the same names, values and numbers in their file names, and as many are kept. TensorFlow 1 can read them. No `.meta` file is written, because there is no graph.",
    ),
    Code(
        "V127",
        "variables as dict keys or set elements",
        "The program uses variables as keys of a dict or elements of a set. Or it gives `tf.case` its pairs as a dict, and several of its conditions may hold.",
        why="TensorFlow 2's variables and tensors compare by value, so they cannot be hashed. Their `ref()` can.",
    ),
    Code(
        "V128",
        "variables compared by == or in",
        "`v in variables` and `v == w` become tests with `is`.",
        why="In TensorFlow 1 `==` on variables asked whether they are the same object. In TensorFlow 2 it compares their values, and the result is a tensor, not a bool.",
        before="rest = [v for v in tf.trainable_variables() if v not in first]",
        after="rest = [v for v in replicas.trainable_variables if all(v is not other for other in first)]",
        promise="Each test gives the same True or False as in TensorFlow 1, as a Python bool. No value is compared.",
    ),
)
