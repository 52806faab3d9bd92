"""Codes N1xx: programs not covered yet."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "N100",
        "part of a refused program",
        "This use of TensorFlow 1 belongs to a program that is refused. It is left as it is. Reports count these uses and name the one finding that says why.",
        why="Half a program runs on neither TensorFlow. So one refusal leaves every use of the program as it is.",
        recipe='Run `tf1to2 check PATH`. It names the refusal under "What blocks", and the line with its recipe under "Details". Follow that recipe, and check again. Then the tool migrates the whole program. In this example the recipe is that of S108: a trace of the session is removed.',
        before='x = tf.placeholder(tf.float32, [None, 3])  # N100\nw = tf.get_variable("w", [3, 1])  # N100\ntrain = tf.train.GradientDescentOptimizer(0.1).minimize(tf.nn.l2_loss(tf.matmul(x, w)))  # N100\nwith tf.Session() as sess:  # N100\n    sess.run(tf.global_variables_initializer())  # N100\n    sess.run(train, {x: batch}, tf.RunOptions(trace_level=3), tf.RunMetadata())  # S108',
        after='x = tf.placeholder(tf.float32, [None, 3])\nw = tf.get_variable("w", [3, 1])\ntrain = tf.train.GradientDescentOptimizer(0.1).minimize(tf.nn.l2_loss(tf.matmul(x, w)))\nwith tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n    sess.run(train, {x: batch})',
    ),
    Code(
        "N101",
        "training sessions that the tool does not read together",
        "The tool does not understand how this file opens its sessions. It understands one session per file, plain sessions one after the other or in a loop, several graphs whose shared code is the same for each, and programs in branches of one `if`, of which a process runs one. A session of another kind inside a loop, `try` or `if` is refused. So is an Estimator beside another training session, and `Experiment` of `tf.contrib.learn` there. Sessions that only read an Estimator's input are allowed (S115).",
        why="Step functions belong to one strategy. With several sessions the tool cannot tell which variables each of them shares. A session and an Estimator each have their own graph, training loop and checkpoints. Sessions that restore, save and start servers when they open cannot be repeated safely.",
        recipe="Open one training session per file, outside of loops, `if` and `try`.",
    ),
    Code(
        "N102",
        "another file of the program is refused",
        "This file could be migrated. It is left as it is, because another file of its program is refused. Files are one program if one imports the other, or if a third imports both.",
        why="Files of one program share variables, models and modules. With one file migrated and the other not, the program would run on neither TensorFlow.",
        recipe="Change the other file by its recipe. If it is no part of the program, such as an old script that nobody starts, leave it out with `--exclude`.",
    ),
    Code(
        "N103",
        "branch on a tensor",
        "A Python `if` or `while` tests a tensor of the step. Or a block over tensors, as `for g, v in gradients:`, computes a plain value that something outside the step reads.",
        why="TensorFlow 1 tested whether the graph node exists, which is always true. It never tested the value. It ran a block over tensors once, where the graph was built. Now only the step has these tensors, so the block stands in the step.",
    ),
    Code(
        "N104",
        "variable that cannot be separated from its step",
        "The tool cannot separate a variable, layer or optimizer from what is computed with it. It is made in the header of a statement (such as a `with` or `for` line), in blocks inside a loop, inside an expression of the step, or in a function that has a decorator. Or its initial value or shape depends on a tensor of the step.",
        why="A variable is made once, before the first step, and a step runs many times. TensorFlow 1 made variables and computed with them in one graph. The tool has to separate the two, and cannot do it here. At the time when the variable is made no tensor of a step has a value. A decorator was written for the whole function, and may do something else to each half.",
    ),
    Code(
        "N105",
        "what TensorFlow 1 kept in the graph: variables, losses or global step",
        "The program uses a collection of the graph. It may be a collection of its own, the losses of `tf.losses.get_losses` or `get_total_loss`, or the global step that a function asks the graph for. Or the program asks for the list of all variables. Or it lists the trainable variables before all layers are made, or takes a variable by its place in a list that TensorFlow 2 makes in another order. Or it asks a layer for its variables or shapes before the first step. Or `get_variable` has no shape and no value, so it asks for a variable that was made elsewhere. Or the program uses `tf.make_template`, which finds its variables again each time it is called.",
        why="A collection was a list that a graph kept, so that any function could add to it or read it. TensorFlow 2 has no graph that outlives a step, so it has no such list, and no store of variables by name. A variable, such as the global step, belongs to the object that holds it. TensorFlow 1's list of variables had those that existed by then. Keras layers and optimizers make theirs in the first step, so a list could have other variables than in TensorFlow 1, or another order.",
        recipe="Keep the values in a list of your own, and pass the variables to the function that needs them. Keep a variable in a Python name, or in a `tf.Module`.",
    ),
    Code(
        "N117",
        "left as a comment asks",
        "A comment `# tf1to2: ignore[...]` asks to leave a line that is TensorFlow 1's. The whole program stays as it is: TensorFlow 2 cannot run that line.",
        why="A program with one line of TensorFlow 1 in it runs on neither version. So the comment cannot mean that the rest is migrated.",
        recipe="Take the comment away, or change the line by hand to what TensorFlow 2 has.",
        before="y = tf.log(x)  # tf1to2: ignore[T102]",
        after="y = tf.math.log(x)",
        refused_when="Always. A mistake that is not mended, and a name of `tensorflow.compat.v1`, are left without a refusal.",
    ),
    Code(
        "N107",
        "optimizer or update that is not a statement of its own",
        "The optimizer's `minimize` or `apply_gradients` stands in a helper function, inside a larger expression, or with others in one statement. Or a block gives its name to another value. Or a learning rate, or another argument that a step computes, is an expression in the optimizer's call.",
        why="The tool splits the program at the update: it becomes a statement of its own, after the gradients. So the tool must see it in the function that opens the session, and cannot take it out of an expression without changing the order of evaluation. The optimizer is made once, before the first step, and a step passes it the new value. So such a value needs a name that both can use.",
        recipe="Give the update, and each argument that a step computes, a statement and a name of its own, where the session is opened.",
    ),
    Code(
        "N111",
        "name taken",
        "The program uses one name for two things that the migrated program must keep apart. The name is one that the migrated program needs, such as `plain_session`. Or a class that inherits from an Estimator has a method or attribute that the emitted Estimator uses itself. Or the name stands for a variable of the model and also for a value of the loop, or for different variables inside and outside a branch.",
        why="A step function reads the model's variables by their Python names, and the migrated program imports modules under theirs. With one name for two things one of the two would be lost. The tool does not rename what you named.",
        recipe="Rename yours.",
    ),
    Code(
        "N115",
        "Python code in the graph",
        "The program uses `tf.py_func` or `tf.py_function` in a cluster program.",
        why="A step function is sent to a worker, which is another process. The Python function exists only in this one.",
    ),
    Code(
        "N116",
        "value taken once",
        "A step uses the result of `next()` or `pop()`, which the program called while it built the graph.",
        why="TensorFlow 1 called it once. A step function that is traced again would take the next value.",
    ),
    Code(
        "N120",
        "session services that are not understood",
        "A `Scaffold` has arguments that run in a graph session, such as its own `init_op`, `ready_op`, `local_init_op` or `summary_op`. An `init_fn` stays if it passes its session only to savers that restore. Or the program uses its `Supervisor` in a way that a session does not support: an `init_fn` that does more than restore, an `init_feed_dict` that feeds variables, its own `session_manager`, `stop_on_exception`, another graph. Or it passes the Supervisor on, out of sight. Or the Supervisor calls a function by time that is from another file, gets other values than the names beside the loop, or changes variables. Or the program passes a `MonitoredSession` or a session creator on, or chooses it by more than one condition.",
        why="A `Scaffold` hands operations of the graph to the session, which runs them once, when it opens. The emitted session has no graph in which these could run. `summary_op` chose which summaries are written; here all of them are. A Supervisor or `MonitoredSession` becomes a session of `training_session` (S115), which may restore, wait, save and call hooks, and does not have these parts. The tool must see all arguments that ask for its services. The session can call a function by time, but only with values that stand beside the loop.",
    ),
    Code(
        "N135",
        "tensor read by its Python name",
        "A function that the graph calls reads a tensor of the graph as a global or outer name, not as a parameter. If the function's body can stand at its call, the tool inlines it there.",
        why="In the migrated program the tensor is a local variable of a step function. Another function cannot read a local variable, so it must receive the tensor as an argument.",
    ),
    Code(
        "N141",
        "name of a variable in checkpoints",
        "A variable may have another name in checkpoints than in TensorFlow 1. A name that an earlier operation or scope uses gets a number, such as `q_1`: if the tool is sure, it writes the number out. If it is not, it reports the place, and the variable has its plain name. Statements that make variables with `get_variable` or layers move out of name scopes. A statement that also makes something that a name scope does name (`tf.Variable`, summaries) stays. The names of its variables then begin with the name scope.",
        why="TensorFlow 1 gave the second use of a name a number, whether it was a variable or not. Only variable scopes named variables of `get_variable`; TensorFlow 2 has one kind of scope. Checkpoints use TensorFlow 1's names, so the migrated program must use them too.",
    ),
    Code(
        "N123",
        "layers of contrib or slim that are not covered",
        "The program uses a part of `tf.contrib.slim` that is not covered: data providers, evaluation loops, or model deployment (`model_deploy`). Or a function makes layers of contrib and also placeholders, optimizers, a global step, `tf.layers` or sessions. Or a loop over towers uses layers of contrib. Layers, argument scopes, losses and training operations are covered (L150).",
        why="The parts of slim run queues, sessions and loops of their own, which TensorFlow 2 does not have. TensorFlow traces each step function by calling the function that makes the layers again. If it made optimizers or opened sessions, every trace would make another one. Towers share variables by a scope that is entered again, which the tool does not carry over for these layers.",
    ),
    Code(
        "N126",
        "towers that differ from replicas",
        "Something in a loop over towers behaves differently on each replica: a tower has variables of its own, gradients are not averaged, or summaries or batches are used in an unknown way. Or towers within the workers of a cluster do more than compute and average gradients, or their number is known only in the graph.",
        why="The replicas of a strategy share all variables, and their gradients are averaged. A tower that does anything else would compute another result as a replica. The number of replicas must be known before the strategy is made, and the graph is made after it.",
    ),
    Code(
        "N150",
        "outside a program",
        "The file uses a part of a TensorFlow 1 graph (a variable, a placeholder, a layer, a summary, a saver, a hook, a server), but the tool recognises no training program in the file that it belongs to. Of a `SessionRunHook` of your own, no session or Estimator in sight calls it.",
        why="What such a construct becomes depends on the program: its strategy, its step function, its session. A hook stays a hook around a session, and may become a Keras callback with an Estimator. Without the program the tool cannot choose.",
        recipe="Give the tool the whole tree, so that it sees this code together with its program.",
    ),
    Code(
        "N151",
        "arguments not written out",
        "The tool cannot tell the arguments of this call apart. The call uses `*` or `**`, or an argument that the tool does not know. Or the tensors of a hook are not a dict, list or tuple that is written out, with string constants as tags. Or an argument of a layer is a tensor that exists only in a step.",
        why="In TensorFlow 2 the arguments have other names or places. A step function returns the tensors of a hook under their tags. A layer makes its variables once, before the first step, so all of its arguments must have values by then. A wrong guess would change the program silently.",
        recipe="Pass the arguments by keyword, without `*` and `**`. Write the tensors of a hook out, each with a tag of its own.",
    ),
)
