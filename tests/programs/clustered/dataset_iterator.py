"""tf.data one-shot iterator, TF_CONFIG, get_variable under variable_scope, clipping."""
import json
import os

import numpy as np
import tensorflow as tf

tf_config = json.loads(os.environ["TF_CONFIG"])
cluster_dict = tf_config["cluster"]
job_name = tf_config["task"]["type"]
task_index = tf_config["task"]["index"]
STEPS = int(os.environ.get("STEPS", "15"))
DIR = os.environ["DIR"]


def linear(x, size, name):
  with tf.variable_scope(name):
    w = tf.get_variable("w", [4, size], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))
    b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def main(_):
  cluster = tf.train.ClusterSpec(cluster_dict)
  server = tf.train.Server(cluster, job_name=job_name, task_index=task_index, protocol="grpc")
  if job_name == "ps":
    server.join()
    return
  is_chief = task_index == 0
  with tf.Graph().as_default():
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
      data = np.random.RandomState(7).rand(64, 4).astype(np.float32)
      target = data.sum(axis=1, keepdims=True)
      dataset = tf.data.Dataset.from_tensor_slices((data, target)).repeat().batch(16)
      iterator = dataset.make_one_shot_iterator()
      features, labels = iterator.get_next()
      global_step = tf.train.get_or_create_global_step()
      prediction = linear(features, 1, "out")
      loss = tf.losses.mean_squared_error(labels, prediction)
      tvars = tf.trainable_variables()
      grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 1.0)
      optimizer = tf.train.AdamOptimizer(learning_rate=0.05)
      train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)

    scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=3))
    hooks = [tf.train.StopAtStepHook(num_steps=STEPS),
             tf.train.StepCounterHook(every_n_steps=5, output_dir=DIR + "/counter")]
    chief_only_hooks = [tf.train.CheckpointSaverHook(
        checkpoint_dir=DIR + "/ckpt", save_steps=5, scaffold=scaffold)]
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=is_chief,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        scaffold=scaffold,
        save_checkpoint_secs=None) as mon_sess:
      with open(DIR + "/loss.%d" % task_index, "w") as log:
        n = 0
        while not mon_sess.should_stop():
          loss_value, _ = mon_sess.run([loss, train_op])
          log.write("%d %r\n" % (n, float(loss_value)))
          n += 1


if __name__ == "__main__":
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
