import tensorflow as tf
import tensorflow_model_analysis as tfma
from tensorflow.contrib.learn.python.learn import learn_runner

flag = tf.placeholder(tf.float32, [])


def model_fn(features, labels, mode):
    rate = tf.placeholder(tf.float32, [])
    net = tf.layers.dense(features["x"], 1) * rate
    loss = tf.losses.mean_squared_error(labels, net)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = tf.placeholder(tf.float32, [None, 1])
    return {"x": x}, x


def eval_input_receiver_fn():
    examples = tf.placeholder(tf.string, [None])
    features = tf.parse_example(examples, {"x": tf.FixedLenFeature([1], tf.float32)})
    return tfma.export.EvalInputReceiver(
        features, features["x"], {"examples": examples}
    )


columns = tf.feature_column.shared_embedding_columns([], 3)
keras = tf.keras.estimator.model_to_estimator(tf.keras.Sequential())
estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
saver = tf.contrib.tpu.AsyncCheckpointSaverHook("/tmp/model", save_steps=3)
estimator.train(input_fn, steps=4, hooks=[saver])
learn_runner.tune(estimator)
