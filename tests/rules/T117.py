from tensorflow.python.client import device_lib
x = tf.log(float(len(device_lib.list_local_devices())))
