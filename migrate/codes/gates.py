"""Codes G1xx: results that were not written."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "G005",
        "notebook cells that the tool cannot separate again",
        "The tool cannot divide the migrated program into the notebook's cells again. A magic would move, or a cell could not run by itself.",
        why="The tool migrates all cells as one module, and then has to return each line to a cell. A cell that ends in the middle of a statement cannot run.",
        recipe="Move the magic into a cell of its own. If that does not help, put the program into one cell.",
        promise="The notebook is left as it is.",
    ),
    Code(
        "G006",
        "your module has the name of a module that is needed",
        "A module of yours, beside the program, has the name of a module that the migrated program imports.",
        why="Python imports the first module of a name that it finds beside the program. So it would import your module, and not the one that the tool writes.",
        recipe="Rename your module.",
        promise="Neither file is touched.",
    ),
    Code(
        "G007",
        "migration that would change an effect or a value",
        "The migrated program would print, write, draw random numbers, change Python's variables or call unknown code differently: not at all, twice, under other conditions, or in another order. Or the program changes something after it has built the graph (a name, an attribute, a list), and a step function of the migrated program would read the changed value.",
        why="Moving code can change what a program prints, writes or draws, and no error tells you so. TensorFlow 1 reads Python's values once, where the graph is built. A step function reads them when TensorFlow traces it, at its first call. The tool therefore compares the effects of both programs, and does not write a result that differs.",
        before='import numpy as np\nimport tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 4])\nw = tf.get_variable("w", [4, 1])\nscale = 2.0\nloss = tf.reduce_mean(tf.square(tf.matmul(x, w) * scale))\ntrain_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\nwith tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n    scale = 1.0 / 255\n    for _ in range(10):\n        sess.run(train_op, {x: np.ones((8, 4)) * scale})\n',
        after='import numpy as np\nimport tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 4])\nw = tf.get_variable("w", [4, 1])\nscale = 2.0\nloss = tf.reduce_mean(tf.square(tf.matmul(x, w) * scale))\ntrain_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\nwith tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n    shrink = 1.0 / 255\n    for _ in range(10):\n        sess.run(train_op, {x: np.ones((8, 4)) * shrink})\n',
        promise="The program is left as it is.",
        recipe="Move the named statement before the cluster and the first statement of the graph, or after the session. If it is in a function that builds the graph, move it out of the function. If it needs what only the graph has, such as the name of a tensor, remove it or write it without that. If a value changes after the graph is built, give the new value a name of its own.",
    ),
    Code(
        "G009",
        "fault of the tool, or a result that fails its checks",
        "The tool failed on this file, or its own checks rejected the result: it would not compile, it would use a name that nothing defines, or one that TensorFlow 2.21 does not have, or a second migration would change it again. All other files are processed. A result also does not compile if the original does not, such as a notebook cell with `await` outside of a function.",
        why="The tool compiles every result before it writes it. A missing name would end the program with a `NameError` or an `AttributeError`, perhaps after hours of training. A finished file must have nothing left to migrate. And a fault of the tool in one file must not cost you the run.",
        promise="The file is left as it is; all others are done.",
        recipe="If the original file compiles, please report this as a fault of the tool.",
    ),
)
