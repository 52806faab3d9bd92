"""A project of classes in packages: base classes, a model, a trainer, its data."""
import os
import sys

import tensorflow as tf

from data_loader.data_generator import DataGenerator
from models.example_model import ExampleModel
from trainers.example_trainer import ExampleTrainer


class Bunch(object):
    def __init__(self, **kw):
        self.__dict__.update(kw)


def main(out):
    config = Bunch(state_size=[4], learning_rate=0.01, num_epochs=3, num_iter_per_epoch=5, batch_size=16, max_to_keep=2,
                   checkpoint_dir=os.path.join(out, "ckpt", "model"))
    if not os.path.exists(os.path.dirname(config.checkpoint_dir)):
        os.makedirs(os.path.dirname(config.checkpoint_dir))
    logger = open(os.path.join(out, "loss.0"), "w")
    sess = tf.Session()
    data = DataGenerator(config)
    model = ExampleModel(config)
    trainer = ExampleTrainer(sess, model, data, config, logger)
    trainer.train()
    logger.close()


if __name__ == '__main__':
    main(sys.argv[1].split("=")[1])
