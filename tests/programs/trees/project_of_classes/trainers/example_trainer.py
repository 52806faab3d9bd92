from base.base_train import BaseTrain
import numpy as np


class ExampleTrainer(BaseTrain):
    def __init__(self, sess, model, data, config, logger):
        super(ExampleTrainer, self).__init__(sess, model, data, config, logger)

    def train_epoch(self):
        losses = []
        accs = []
        for _ in range(self.config.num_iter_per_epoch):
            loss, acc = self.train_step()
            losses.append(loss)
            accs.append(acc)
        loss = np.mean(losses)
        acc = np.mean(accs)
        cur_it = self.model.global_step_tensor.eval(self.sess)
        self.logger.write("%d %r %r\n" % (cur_it, float(loss), float(acc)))
        self.model.save(self.sess)

    def train_step(self):
        batch_x, batch_y = next(self.data.next_batch(self.config.batch_size))
        feed_dict = {self.model.x: batch_x, self.model.y: batch_y, self.model.is_training: True}
        _, loss, acc = self.sess.run([self.model.train_step, self.model.cross_entropy, self.model.accuracy], feed_dict=feed_dict)
        self.logger.write("%d %r %r\n" % (len(batch_x), float(loss), float(acc)))
        return loss, acc
