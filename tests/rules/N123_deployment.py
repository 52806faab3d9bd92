import tensorflow as tf
from deployment import model_deploy
slim = tf.contrib.slim
config = model_deploy.DeploymentConfig(num_clones=2)
clones = model_deploy.create_clones(config, clone_fn, [images])
total_loss, gradients = model_deploy.optimize_clones(clones, optimizer)
