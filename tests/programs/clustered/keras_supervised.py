"""A Keras model that a graph's optimizer trains in a Supervisor's session."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("job_name", "", "Either 'ps' or 'worker'")
tf.app.flags.DEFINE_integer("task_index", 0, "Index of task within the job")
tf.app.flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = tf.app.flags.FLAGS

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                         task_index=FLAGS.task_index)

batch_size = 16
learning_rate = 0.01
log_frequency = 4


def load_data():
    global x_train, y_train
    rng = np.random.RandomState(4)
    x_train = rng.rand(160, 5).astype("float32")
    y_train = np.eye(3, dtype="float32")[x_train[:, :3].argmax(1)]


def draw(seed, *shape):
    return tf.constant_initializer(np.random.RandomState(seed).randn(*shape) * 0.5)


# The Keras model; its fit would know nothing of the cluster.
def create_model():
    model = keras.models.Sequential()
    model.add(keras.layers.Dense(8, activation="relu", input_shape=(5,),
                                 kernel_initializer=draw(1, 5, 8)))
    model.add(keras.layers.Dropout(0.0))
    model.add(keras.layers.Dense(3, activation="softmax",
                                 kernel_initializer=draw(2, 8, 3)))
    model.summary()
    return model


# We cannot use model.compile and model.fit.
def create_optimizer(model, targets):
    predictions = model.output
    loss = tf.reduce_mean(
        keras.losses.categorical_crossentropy(targets, predictions))
    optimizer = tf.train.RMSPropOptimizer(learning_rate)

    # The averages of batch normalisation would move before the gradients.
    with tf.control_dependencies(model.updates):
        barrier = tf.no_op(name="update_barrier")
    with tf.control_dependencies([barrier]):
        grads = optimizer.compute_gradients(loss, model.trainable_weights)
        grad_updates = optimizer.apply_gradients(grads, global_step=global_step)
    with tf.control_dependencies([grad_updates]):
        train_op = tf.identity(loss, name="train")
    return (train_op, loss, predictions)


def train(train_op, total_loss, global_step, step):
    rows = slice(step * batch_size % 160, step * batch_size % 160 + batch_size)
    loss_value, step_value = sess.run(
        [train_op, global_step],
        feed_dict={model.inputs[0]: x_train[rows], targets: y_train[rows]})
    log.write("%d %r\n" % (step, float(loss_value)))
    if step % log_frequency == 0:
        cost = sess.run(total_loss,
                        feed_dict={model.inputs[0]: x_train, targets: y_train})
        log.write("%d %r\n" % (step, float(cost)))
        print("Step: %d, Cost: %.4f" % (step_value + 1, cost))
    log.flush()


if FLAGS.job_name == "ps":
    server.join()
elif FLAGS.job_name == "worker":
    load_data()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index,
            cluster=cluster)):
        keras.backend.set_learning_phase(1)
        keras.backend.manual_variable_initialization(True)
        model = create_model()
        targets = tf.placeholder(tf.float32, shape=[None, 3], name="y-input")
        global_step = tf.train.get_or_create_global_step()
        train_op, total_loss, predictions = create_optimizer(model, targets)
        init_op = tf.global_variables_initializer()

    sv = tf.train.Supervisor(is_chief=(FLAGS.task_index == 0),
                             global_step=global_step,
                             logdir=FLAGS.dir + "/train_logs",
                             save_model_secs=600,
                             init_op=init_op)

    log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
    with sv.managed_session(server.target) as sess:
        keras.backend.set_session(sess)
        step = 0
        while not sv.should_stop() and step < 20:
            train(train_op, total_loss, global_step, step)
            step += 1

    sv.stop()
    print("done")
