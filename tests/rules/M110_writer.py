import tensorflow as tf

def train(args):
    with tf.Graph().as_default():
        global_step = tf.Variable(0, name="global_step", trainable=False)
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.losses.mean_squared_error(y, model(x))
        rate = tf.train.exponential_decay(0.05, global_step, 5, 0.9)
        tf.summary.scalar("loss", loss)
        merged = tf.summary.merge_all()
        saver = tf.train.Saver(max_to_keep=2)
        config = tf.ConfigProto(allow_soft_placement=True)
        config.gpu_options.allow_growth = True
        with tf.Session(config=config) as sess:
            writer = tf.summary.FileWriter(args.dir, sess.graph)
            ckpt = tf.train.get_checkpoint_state(args.dir)
            rng = np.random.RandomState(sess.run(global_step))
            writer.close()
