"""Mistakes as they are written in classes and in functions: hosts, logits, placement."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

TF = "import tensorflow as tf\n"

WRONG = (
    (
        "D101",
        TF
        + (
            "import sys\n"
            "FLAGS = tf.app.flags.FLAGS\n"
            'tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")\n'
            'tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated list")\n'
            'cluster = tf.train.ClusterSpec(cluster={"ps": FLAGS.ps_hosts, "worker": FLAGS.worker_hosts})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "FLAGS = tf.app.flags.FLAGS\n"
            'tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")\n'
            "ps = [FLAGS.ps_hosts]\n"
            'c = tf.train.ClusterSpec({"ps": ps, "worker": ["a:1"]})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            'W = ["a:1", "b:2"]\n'
            'c = tf.train.ClusterSpec({"ps": ["c:1"], "worker": ",".join(W)})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "import os\n"
            'workers = os.environ["WORKER_HOSTS"]\n'
            "def main(_):\n"
            '    spec = {"worker": workers, "ps": [os.environ["PS_HOST"]]}\n'
            "    c = tf.train.ClusterSpec(spec)\n"
            "tf.app.run()\n"
        ),
    ),
    (
        "D101",
        TF
        + (
            'def run(ps_hosts="a:1,b:2", worker_hosts="c:1"):\n'
            '    c = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "cluster = {}\n"
            'cluster["ps"] = ["a:1,b:1"]\n'
            'cluster["worker"] = ["c:1"]\n'
            "c = tf.train.ClusterSpec(cluster)\n"
        ),
    ),
    (
        "D101",
        TF
        + (
            "from absl import flags\n"
            'flags.DEFINE_string("worker_hosts", "a:1,b:2", "")\n'
            "FLAGS = flags.FLAGS\n"
            'cluster_spec = tf.train.ClusterSpec({"worker": [FLAGS.worker_hosts]})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "import sys\n"
            'c = tf.train.ClusterSpec({"ps": sys.argv[1], "worker": sys.argv[2]})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            'IPS = "10.0.0.1:2222,10.0.0.2:2222"\n'
            'c = tf.train.ClusterSpec({"worker": [IPS]})\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "from tensorflow.keras import layers, models\n"
            "model = models.Sequential()\n"
            'model.add(layers.Dense(64, activation="relu"))\n'
            'model.add(layers.Dense(10, activation="softmax"))\n'
            "loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = loss_fn(y, model(x))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "from tensorflow.keras import layers, models\n"
            "model = models.Sequential([layers.Dense(10), layers.Dense(10), layers.Activation(tf.nn.softmax)])\n"
            'model.compile("sgd", loss=tf.keras.losses.SparseCategoricalCrossentropy(True))\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "class Net(tf.keras.Model):\n"
            "    def __init__(self):\n"
            "        super(Net, self).__init__()\n"
            "        self.d1 = tf.keras.layers.Dense(10)\n"
            "        self.sm = tf.keras.layers.Softmax()\n"
            "    def call(self, x):\n"
            "        x = self.d1(x)\n"
            "        return self.sm(x)\n"
            "model = Net()\n"
            "obj = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = obj(y, model(x))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "class Net(tf.keras.Model):\n"
            "    def __init__(self):\n"
            "        super(Net, self).__init__()\n"
            "        self.d1 = tf.keras.layers.Dense(10)\n"
            "    def call(self, x):\n"
            "        x = self.d1(x)\n"
            "        return tf.nn.softmax(x)\n"
            "model = Net()\n"
            "obj = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = obj(y, model(x))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            'model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid")])\n'
            'model.compile("adam", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "y=tf.placeholder(tf.float32,[None,3])\n"
            "W=tf.Variable(tf.zeros([4,3]))\n"
            "b=tf.Variable(tf.zeros([3]))\n"
            "pred = tf.nn.softmax(tf.matmul(x, W) + b)\n"
            "cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=pred))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "def net(x):\n"
            "    h = tf.layers.dense(x, 8)\n"
            "    return tf.nn.softmax(tf.layers.dense(h, 3))\n"
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "y=tf.placeholder(tf.int32,[None])\n"
            "logits = net(x)\n"
            "loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "y=tf.placeholder(tf.float32,[None,1])\n"
            "p = tf.sigmoid(tf.layers.dense(x,1))\n"
            "loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=p))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "def build_model():\n"
            '    return tf.keras.Sequential([tf.keras.layers.Dense(10, activation="softmax")])\n'
            "model = build_model()\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = tf.keras.losses.sparse_categorical_crossentropy(y, model(x), from_logits=True)\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "inp = tf.keras.Input((4,))\n"
            "out = tf.keras.layers.Dense(10, activation=None)(inp)\n"
            "model = tf.keras.Model(inputs=inp, outputs=out)\n"
            "loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=False)\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = loss_fn(y, model(x))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.models.Sequential()\n"
            "model.add(tf.keras.layers.Dense(10))\n"
            'model.compile(loss="sparse_categorical_crossentropy", optimizer="adam")\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.models.Sequential()\n"
            'model.add(tf.keras.layers.Dense(10, activation="linear"))\n'
            'model.compile(loss=tf.keras.losses.categorical_crossentropy, optimizer="adam")\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, model(x)))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "loss_object = tf.keras.losses.SparseCategoricalCrossentropy(reduction=tf.keras.losses.Reduction.NONE)\n"
            "def step(x,y):\n"
            "  with tf.GradientTape() as t:\n"
            "    loss = tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=8)\n"
        ),
    ),
)
RIGHT = (
    (
        "D101",
        TF
        + (
            "from absl import flags\n"
            'flags.DEFINE_string("ps_host", "a:1", "the host")\n'
            "FLAGS = flags.FLAGS\n"
            'cluster_spec = tf.train.ClusterSpec({"ps": [FLAGS.ps_host], "worker": ["b:1"]})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "from absl import flags\n"
            'flags.DEFINE_list("ps_hosts", "a:1,b:1", "the hosts")\n'
            "FLAGS = flags.FLAGS\n"
            'cluster_spec = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts, "worker": ["b:1"]})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "import argparse\n"
            "p=argparse.ArgumentParser()\n"
            'p.add_argument("--ps", type=lambda s: s.split(","), default="a:1")\n'
            "a=p.parse_args()\n"
            'c = tf.train.ClusterSpec({"ps": a.ps, "worker": ["b:1"]})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "import argparse\n"
            "p=argparse.ArgumentParser()\n"
            'p.add_argument("--ps", nargs="+")\n'
            "a=p.parse_args()\n"
            'c = tf.train.ClusterSpec({"ps": a.ps, "worker": {0: "a:1", 1: "b:1"}})\n'
        ),
    ),
    (
        "D101",
        TF
        + (
            "import os, json\n"
            'conf = json.loads(os.environ["TF_CONFIG"])\n'
            'c = tf.train.ClusterSpec(conf["cluster"])\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n"
            "probability_model = tf.keras.Sequential([model, tf.keras.layers.Softmax()])\n"
            'model.compile("adam", loss_fn)\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n"
            "probability_model = tf.keras.Sequential([model, tf.keras.layers.Softmax()])\n"
            'model.compile("adam", loss_fn)\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "y=tf.placeholder(tf.float32,[None,3])\n"
            "logits = tf.layers.dense(x,3)\n"
            "pred = tf.nn.softmax(logits)\n"
            "cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "t = tf.layers.dense(x,3)\n"
            "logits = tf.layers.dense(x,3)\n"
            "cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(t), logits=logits))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "y=tf.placeholder(tf.float32,[None,3])\n"
            "att = tf.nn.softmax(tf.layers.dense(x,4))\n"
            "logits = tf.layers.dense(x*att,3)\n"
            "cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
            'model.compile(loss="mean_squared_error", optimizer="adam", metrics=["binary_crossentropy"])\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "from tensorflow.keras import layers\n"
            "inp = tf.keras.Input((4,))\n"
            "x = layers.Dense(10)(inp)\n"
            'out = layers.Activation("softmax")(x)\n'
            "model = tf.keras.Model(inp, out)\n"
            'model.compile("sgd", "categorical_crossentropy")\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "from tensorflow.keras import layers\n"
            "inp = tf.keras.Input((4,))\n"
            "x = layers.Dense(10)(inp)\n"
            "x = tf.nn.softmax(x)\n"
            "model = tf.keras.Model(inp, x)\n"
            'model.compile("sgd", "categorical_crossentropy")\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "class D(tf.keras.Model):\n"
            "  def __init__(self):\n"
            "    super().__init__()\n"
            "    self.o = tf.keras.layers.Dense(1)\n"
            "  def call(self, x):\n"
            "    return tf.math.sigmoid(self.o(x))\n"
            "m = D()\n"
            'm.compile("sgd", tf.keras.losses.BinaryCrossentropy())\n'
        ),
    ),
)


@pytest.mark.parametrize("code, program", WRONG)
def test_is_found(code: str, program: str) -> None:
    done = migrate_text(program)
    assert code in {f.code for f in done.findings}
    assert not [f for f in done.findings if f.outcome is Outcome.FAILED]
    if code == "D101":
        again = migrate_text(done.text)
        assert code not in {f.code for f in again.findings}


@pytest.mark.parametrize("code, program", RIGHT)
def test_is_left_alone(code: str, program: str) -> None:
    assert code not in {f.code for f in migrate_text(program).findings}
