"""Functions that contrib.eager differentiates: values, gradients, and their order."""

import os

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS
tfe = tf.contrib.eager


def cube(x, y):
    return x * x * x * y - x * y * y


def implied(write):
    """By variables, in the order of their creation; not those that are not trained."""
    a = tfe.Variable(2.0, name="a")
    b = tfe.Variable([1.0, 3.0], name="b")
    c = tfe.Variable(5.0, trainable=False, name="c")
    tfe.Variable(1.0, name="unused")

    def use(x, scale=1.0):
        return scale * tf.reduce_sum(b * b * x) + a * c

    for gradient, variable in tfe.implicit_gradients(use)(3.0, scale=2.0):
        write("implied", variable is a, variable is b, gradient)
    values, pairs = tfe.implicit_value_and_gradients(lambda x: [a * x, a * b])(2.0)
    write("several", *values, *[gradient for gradient, _ in pairs])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    for _ in range(3):
        optimizer.apply_gradients(tfe.implicit_gradients(use)(3.0))
        write("trained", a.numpy(), b.numpy(), c.numpy())


def given(write):
    """By parameters: all, by name, by place; of one object twice; again."""
    first = tfe.gradients_function(cube)
    write("all", *first(2.0, 3.0))
    write("second", *tfe.gradients_function(lambda x, y: first(x, y)[0])(2.0, 3.0))
    one = tf.constant(1.5)
    write("twice", *tfe.gradients_function(lambda x, y: x * y * y)(one, one))
    value, found = tfe.value_and_gradients_function(cube, params=["y"])(
        2.0, 3.0, dy=2.0
    )
    write("named", value, *found)
    write("placed", *tfe.gradients_function(cube, params=[1])(2.0, 3.0))
    value, found = tfe.value_and_gradients_function(lambda x, y: [x * y, x])(
        2.0, 3.0, dy=[1.0, 4.0]
    )
    write("nested", *value, *found)
    found = tfe.gradients_function(lambda x, y: x * 2)(1.0, 2.0)
    write("none", found[0], found[1] is None)


def refused(write):
    variable = tfe.Variable(1.0)
    calls = [
        lambda: tfe.implicit_gradients(lambda: None)(),
        lambda: tfe.implicit_gradients(lambda x: x)(tf.constant(1.0)),
        lambda: tfe.gradients_function(cube, params=[1, "x"])(1.0, 2.0),
        lambda: tfe.gradients_function(lambda x: None)(variable),
    ]
    for call in calls:
        try:
            call()
        except ValueError as error:
            write("refused", len(str(error).split(" ")))


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        for part in (implied, given, refused):
            part(write)


if __name__ == "__main__":
    tf.app.run()
