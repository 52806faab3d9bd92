import tensorflow as tf
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=hooks) as sess:
    pass
