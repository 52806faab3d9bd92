"""Operations that accumulate gradients."""
import tensorflow as tf


def make_accumulation(optimizer, loss):
    grads_and_vars = optimizer.compute_gradients(loss, tf.trainable_variables())
    accumulators = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False)
                    for _, v in grads_and_vars]
    zero_op = tf.group(*[a.assign(tf.zeros_like(a)) for a in accumulators])
    accum_op = tf.group(*[a.assign_add(g) for a, (g, _) in zip(accumulators, grads_and_vars)])
    train_op = optimizer.apply_gradients([(a, v) for a, (_, v) in zip(accumulators, grads_and_vars)])
    return zero_op, accum_op, train_op
