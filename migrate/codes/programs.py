"""Codes N1xx: programs not covered yet."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "N100",
        "part of a refused program",
        "This use of TensorFlow 1 belongs to a program that is refused. It is left as it is. Reports count these uses and name the one finding that says why.",
        why="Half a program runs on neither TensorFlow.",
        recipe="Follow the recipe of the refusal. Then the whole program is migrated.",
    ),
    Code(
        "N101",
        "more than one training session",
        "The tool does not understand the sessions of this file together. It understands one session per file, plain sessions one after the other or in a loop, and several graphs whose shared code is the same for each.",
        why="Step functions belong to one strategy. With several sessions the tool cannot tell which variables each of them shares.",
    ),
    Code(
        "N102",
        "another file of the program is refused",
        "This file could be migrated. It is left as it is, because another file of its program is refused. Files are one program if one imports the other, or if a third imports both.",
        why="With one file migrated, the program would run on neither TensorFlow.",
        recipe="Change the other file by its recipe. If it is no part of the program, such as an old script that nobody starts, leave it out with `--exclude`.",
    ),
    Code(
        "N103",
        "branch on a tensor",
        "A Python `if` or `while` tests a tensor of the step.",
        why="TensorFlow 1 tested whether the graph node exists, which is always true. It never tested the value.",
    ),
    Code(
        "N104",
        "variables made inside a block",
        "Variables or layers are made in the header of a statement (such as a `with` or `for` line), or in blocks inside a loop.",
        why="A variable is made once and a step runs many times. The tool has to separate the two, and cannot do it here.",
    ),
    Code(
        "N105",
        "collections",
        "The program uses a collection of the graph.",
        why="TensorFlow 2 has no graph collections.",
        recipe="Keep the values in a list of your own.",
    ),
    Code(
        "N106",
        "placeholders from a helper",
        "A helper function makes placeholders for its caller.",
        why="A placeholder becomes a parameter of the step function, so it must be made where the step is built.",
    ),
    Code(
        "N107",
        "update in a helper",
        "The optimizer's `minimize` or `apply_gradients` stands in a helper function.",
        why="The tool splits the program at the update, so it must see the update in the function that opens the session.",
        recipe="Move the call to where the session is opened.",
    ),
    Code(
        "N110",
        "gradients in a loop",
        "Gradients are computed in a loop, for example over workers that each subtract their own.",
        why="Each pass depends on the update of the pass before. A step function makes one update.",
        recipe="Keep the losses in a list, and let one optimizer minimise their sum after the loop.",
    ),
    Code(
        "N111",
        "name taken",
        "The program uses a name that the migrated program needs, such as `plain_session`.",
        why="The tool does not rename your variables.",
        recipe="Rename yours.",
    ),
    Code(
        "N113",
        "one name, several variables",
        "One Python name stands for different variables inside and outside a branch.",
        why="The step function reads the variable by that name, and would not know which one is meant.",
    ),
    Code(
        "N114",
        "decorated model function",
        "A function that makes variables and computes has a decorator.",
        why="The tool splits the function in two, and the decorator would no longer act on the whole.",
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
        "Supervisor",
        "The program uses its `Supervisor` in a way that a session does not support: an `init_fn` that does more than restore, an `init_feed_dict` that feeds variables, its own `session_manager`, another graph. Or it passes the Supervisor on, out of sight.",
        why="A Supervisor becomes a session of `training_session` (S132), which does not have these parts.",
    ),
    Code(
        "N121",
        "other sessions",
        "The program uses a `MonitoredSession` or a session creator in a way that the tool does not read: it passes it on, or chooses it by more than one condition.",
        why="The tool must see which services (restore, save, hooks) the session has.",
    ),
    Code(
        "N122",
        "Estimator beside a session",
        "The file has an Estimator and another training session, or `Experiment` of `tf.contrib.learn`. Sessions that only read the Estimator's input are allowed (N162).",
        why="The tool migrates one program per file.",
    ),
    Code(
        "N162",
        "session that only reads input",
        "A session beside an Estimator only fetches batches of an `input_fn` or a dataset. The program now reads them without a session, as NumPy values.",
        why="TensorFlow 2 iterates over a dataset directly.",
    ),
    Code(
        "N135",
        "tensor read by its name",
        "A function that the graph calls reads a tensor of the graph by its name, not as a "
        "parameter. The tensor becomes a local name of a step function, which the function "
        "cannot see. Where the function's body can stand at its call, it is put there.",
    ),
    Code(
        "N140",
        "name scopes",
        "Statements that make variables with `get_variable` or layers move out of name scopes. A statement that also makes something that a name scope does name (`tf.Variable`, summaries) stays. The names of its variables in checkpoints then begin with the name scope.",
        why="In TensorFlow 1 only variable scopes named such variables. TensorFlow 2 has one kind of scope.",
    ),
    Code(
        "N141",
        "numbered names",
        "A variable has a name that an earlier operation or scope uses. If the tool is sure, it writes the number out. If it is not, it reports the place, and the variable has its plain name.",
        why="TensorFlow 1 numbered the second one, as in `q_1`, and its checkpoints use that name.",
    ),
    Code(
        "N123",
        "slim",
        "The program uses a part of `tf.contrib.slim` that is not covered: data providers, evaluation loops, or model deployment. Layers, argument scopes, losses and training operations are covered (L150).",
        why="The package `tf_slim` has the rest, for graphs of `tf.compat.v1`.",
    ),
    Code(
        "N125",
        "towers that are not recognised",
        "Towers within the workers of a cluster do more than compute and average gradients. Or their number is known only in the graph.",
        why="The number of replicas must be known before the strategy is made, and the graph is made after it.",
    ),
    Code(
        "N126",
        "towers that differ from replicas",
        "Something in a loop over towers behaves differently on each replica: a tower has variables of its own, gradients are not averaged, or summaries or batches are used in an unknown way.",
        why="Replicas of a strategy share variables and average their gradients.",
    ),
    Code(
        "N127",
        "several clients build the towers",
        "The towers stand on the tasks of a cluster, but several tasks may open a session, or the tool cannot tell which task does.",
        why="One client builds and runs all towers, and the other tasks serve. Several clients would each train alone.",
    ),
    Code(
        "N160",
        "recurrent cells that are not carried over",
        "A recurrent cell shares variables through a scope that is entered again, its scope is an object, or its dropout has a seed.",
        why="Each cell is made once with its own variables. The tool does not share them between cells.",
    ),
    Code(
        "N161",
        "all variables, listed in the graph",
        "The program lists all variables while it builds the graph, after an optimizer or a layer.",
        why="TensorFlow 1's list had the variables that existed by then, also the optimizer's. Here the optimizer and the layers make theirs in the first step.",
    ),
    Code(
        "N130",
        "slim.deployment",
        "The program uses `model_deploy` of `slim.deployment`.",
        why="It clones a model on devices and collects losses and gradients of the clones by their scopes. Towers in a loop, whose gradients are averaged, become a `MirroredStrategy`.",
    ),
    Code(
        "N131",
        "a queue that tasks share",
        "Several tasks use a queue by its name, and it does more than to end parameter servers (N170).",
        why="Step functions on different tasks share no queue.",
    ),
    Code(
        "N171",
        "server that does not exist",
        "Synchronous training starts no server. Prints of the server go. Other uses of it are refused.",
        why="`MultiWorkerMirroredStrategy` connects the workers itself.",
    ),
    Code(
        "N170",
        "parameter servers that end",
        "The program ends each parameter server with a queue, into which every worker puts a number when it has finished. The coordinator now tells the servers when all loops have finished.",
        why="The coordinator runs the loops of all workers, so it knows when they end.",
        before="queue = create_done_queue(FLAGS.task_index)\nsess = tf.Session(server.target)\nfor i in range(num_workers):\n  sess.run(queue.dequeue())",
        after="training_session.serve_until_done(server)",
        promise="A parameter server ends when every worker's loop has, with what it did after it had waited. It does not end while the chief still saves.",
        refused_when="the queue does something else too (N131). In synchronous training there is nothing to serve: the task ends at once.",
    ),
    Code(
        "N132",
        "code that a Supervisor runs beside the session",
        "A `Supervisor` calls a function by time, and the tool cannot carry it over: the function is from another file, gets other values than the names beside the loop, or changes variables. Or the program uses the Supervisor's session manager or `stop_on_exception`.",
        why="The session that replaces the Supervisor has none of these.",
    ),
    Code(
        "N150",
        "outside a program",
        "The file uses a part of a TensorFlow 1 graph (a variable, a placeholder, a layer, a summary, a saver, a server), but the tool recognises no training program in the file that it belongs to.",
        why="What such a construct becomes depends on the program: its strategy, its step function, its session. Without the program the tool cannot choose.",
    ),
    Code(
        "N151",
        "arguments not written out",
        "The tool cannot tell the arguments of this call apart. The call uses `*` or `**`, or an argument that the tool does not know.",
        why="In TensorFlow 2 the arguments have other names or places. A wrong guess would change the program silently.",
        recipe="Pass the arguments by keyword, without `*` and `**`.",
    ),
)
