# 启动服务器
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "localhost:4444", "服务器")
flags.DEFINE_string("worker_hosts",
                    "localhost:4445,localhost:4446", "hosts, by comma")
flags.DEFINE_string("job_name", "ps", "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_boolean("verbose", False, "")
F = flags.FLAGS


def main(argv):
    of_ps = F.ps_hosts.split(",")
    spec = tf.train.ClusterSpec({
        "ps": of_ps,
        "worker": F.worker_hosts.split(","),
    })
    if F.verbose:
        print(spec.as_dict())
    tf.train.Server(spec, job_name=F.job_name, task_index=F.task_index).join()


if __name__ == "__main__":
    tf.app.run(main)
