import tensorflow as tf

tf.estimator.Estimator(model_fn, directory).train(input_fn, steps=10)
with tf.Session(graph=tf.Graph()) as sess:
    tf.saved_model.loader.load(sess, ["serve"], directory)
    print(sess.run("y:0", {"x:0": batch}))
