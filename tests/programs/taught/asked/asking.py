import numpy as np
import tensorflow as tf

# 变量在参数服务器上
with tf.device("/job:ps/task:0"):
    a = tf.Variable([[1., 2.], [3., 4.]])
    b = tf.Variable(2 * tf.ones([2, 2]))

with tf.device("/job:worker/task:1"):
    c = tf.matmul(a, b) - a  # 乘积

with tf.device("/job:worker/task:0"):
    d = tf.matmul(c, a) + b

with tf.Session("grpc://localhost:4445") as session:
    session.run(tf.global_variables_initializer())
    print("MATRIX", np.asarray(session.run(d)).tolist())
