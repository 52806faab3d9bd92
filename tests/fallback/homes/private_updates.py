"""Private operations that update variables: what each one leaves in the variables."""

import os

import numpy as np
import tensorflow as tf
from tensorflow.python.training import gen_training_ops, training_ops

tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS


class Applier(tf.train.Optimizer):
    """RMSProp by a private operation, as in programs of reinforcement learning."""

    def __init__(self, rate):
        super().__init__(False, "Applier")
        self._rate = rate

    def _create_slots(self, var_list):
        for v in var_list:
            self._get_or_make_slot(v, tf.ones_like(v), "rms", self._name)
            self._zeros_slot(v, "momentum", self._name)

    def _apply_dense(self, grad, var):
        return training_ops.apply_rms_prop(
            var,
            self.get_slot(var, "rms"),
            self.get_slot(var, "momentum"),
            self._rate,
            0.9,
            0.1,
            0.01,
            grad,
            use_locking=False,
        ).op


def make(name, resource):
    initializer = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return tf.get_variable(name, [3, 2], initializer=initializer, use_resource=resource)


def updated(session, write):
    """Operations on variables, in the order of their arguments and by name."""
    grad = tf.constant(np.arange(6).reshape(3, 2).astype("float32"))
    part, rows = tf.constant([[1.0, -1.0]]), tf.constant([2])
    a, b, c, d = [make(f"one{i}", False) for i in range(4)]
    e, f, g, h = [make(f"two{i}", True) for i in range(4)]
    updates = [
        training_ops.apply_adam(
            a, b, c, 0.9, 0.99, 0.1, 0.8, 0.9, 1e-3, grad, True, use_nesterov=True
        ).op,
        gen_training_ops.apply_ftrl(d, b, c, grad, 0.1, 0.2, 0.3, lr_power=-0.5).op,
        training_ops.sparse_apply_adagrad(d, b, 0.5, part, rows, update_slots=False).op,
        training_ops.apply_gradient_descent(a, 0.5, delta=grad).op,
        training_ops.resource_apply_adam(
            e.handle, f.handle, g.handle, 0.9, 0.99, 0.1, 0.8, 0.9, 1e-3, grad
        ),
        training_ops.resource_apply_adagrad_da(
            h.handle, f.handle, g.handle, grad, 0.1, 0.2, 0.3, tf.constant(3, tf.int64)
        ),
        training_ops.resource_sparse_apply_momentum(
            e.handle, f.handle, 0.5, part, rows, 0.9, name="moved"
        ),
        training_ops.resource_apply_power_sign(
            h.handle, g.handle, 0.1, 2.0, 0.5, 0.9, grad
        ),
    ]
    session.run(tf.global_variables_initializer())
    for update in updates:
        session.run(update)
        write("updated", *session.run([a, b, c, d, e, f, g, h]))
    write("named", updates[6].name == "moved")


def trained(session, write):
    w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.square(w - [1.0, 2.0, 3.0]))
    train = Applier(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train)
        write("trained", *session.run([loss, w]))


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        for part in (updated, trained):
            with tf.Graph().as_default(), tf.Session() as session:
                part(session, write)


if __name__ == "__main__":
    tf.app.run()
