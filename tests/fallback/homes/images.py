"""What tf.contrib.image makes of images, and what training through it does, line by line."""

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import image as contrib_image

tf.flags.DEFINE_string("dir", "/tmp/images", "Where lines are written.")
FLAGS = tf.flags.FLAGS
PROJECTION = [1.1, 0.2, -0.7, -0.15, 0.9, 0.6, 0.01, -0.02]


def values(*shape):
    return np.random.RandomState(sum(shape)).randn(*shape).astype("float32")


def transformed(run):
    rows = np.array([PROJECTION, [1, 0, 2.5, 0, 1, -1.5, 0, 0]], "float32")
    for kind in ("NEAREST", "BILINEAR"):
        name = kind.lower()
        for shape in ((5, 6), (5, 6, 3), (2, 5, 6, 3)):
            found = contrib_image.transform(values(*shape), PROJECTION, kind)
            run(f"{name}_{len(shape)}", found)
        each = contrib_image.transform(values(2, 5, 6, 1), rows, name)
        run(f"{name}_each", each)
        larger = contrib_image.transform(
            values(4, 4), PROJECTION, interpolation=kind, output_shape=[7, 9]
        )
        run(f"{name}_larger", larger)
        for dtype in ("uint8", "int32", "int64", "float16", "float64"):
            given = (values(6, 6) * 20 + 60).astype(dtype)
            run(f"{name}_{dtype}", contrib_image.transform(given, PROJECTION, kind))
    # Points that lie half-way between two.
    for kind in ("NEAREST", "BILINEAR"):
        half = contrib_image.transform(
            values(4, 6), [1, 0, 0.5, 0, 1, -0.5, 0, 0], kind
        )
        run(f"half_{kind.lower()}", half)


def moved(run):
    run("rotated", contrib_image.rotate(values(5, 6), 0.6))
    run(
        "rotated_each",
        contrib_image.rotate(values(2, 5, 5, 1), [0.3, -1.0], "BILINEAR"),
    )
    run("translated", contrib_image.translate(values(5, 6), [1.5, -1.0], "BILINEAR"))
    run(
        "translated_each",
        contrib_image.translate(values(2, 5, 5, 1), [[1, 0], [-2, 1.0]]),
    )
    run("angles", contrib_image.angles_to_projective_transforms([0.5, 2.0], 7.0, 4.0))
    run("moves", contrib_image.translations_to_projective_transforms([3.0, -2.0]))
    composed = contrib_image.compose_transforms(
        PROJECTION, [2.0, 0, 1, 0, 1, 0, 0, 0.1]
    )
    run("composed", composed)
    matrices = contrib_image.flat_transforms_to_matrices([PROJECTION])
    run("matrices", matrices)
    run("flat", contrib_image.matrices_to_flat_transforms(2.0 * matrices))


def trained(session, write):
    """A picture is learned that looks like another once it is projected."""
    picture = tf.get_variable("picture", initializer=values(6, 7))
    wide = tf.get_variable("wide", initializer=values(1, 5, 5, 2))
    bent = contrib_image.transform(picture, PROJECTION, "BILINEAR")
    turned = contrib_image.rotate(wide, 0.4)
    loss = tf.reduce_sum(tf.square(bent - values(7, 6).T))
    loss += tf.reduce_sum(tf.square(turned - values(1, 5, 5, 2)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        write("loss", *session.run([loss]))
        session.run(train)
    write("picture", *session.run([picture]))
    write("wide", *session.run([wide]))


def refused(write):
    """What raises which error."""
    for name, error, call in (
        ("dtype", TypeError, lambda: contrib_image.transform(["a"], PROJECTION)),
        ("rank", TypeError, lambda: contrib_image.rotate(values(5), 0.1)),
        ("shape", ValueError, lambda: contrib_image.compose_transforms([[[1.0]]])),
    ):
        try:
            call()
            write(f"error_{name}", 0)
        except error:
            write(f"error_{name}", 1)


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *found):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in found])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        with tf.Graph().as_default(), tf.Session() as session:

            def run(name, found):
                write(name, *session.run([found]))
                write(f"{name}_shape", found.shape.as_list())

            transformed(run)
            moved(run)
            trained(session, write)
            refused(write)


if __name__ == "__main__":
    tf.app.run()
