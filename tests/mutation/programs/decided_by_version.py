from distutils.version import LooseVersion, StrictVersion

import tensorflow as tf
from packaging import version
from packaging.version import Version
from pkg_resources import parse_version

old = tf.__version__ < "1.4" or tf.VERSION < "1.4" or tf.version.VERSION < "1.4"
loose = LooseVersion(tf.__version__) > "1"
strict = StrictVersion(tf.__version__) > "1"
parsed = version.parse(tf.__version__), parse_version(tf.VERSION), Version(tf.VERSION)
optimizer = getattr(tf.contrib.opt, "Optimizer".upper(), None)
with tf.Session() as sess:
    told = tf.RunMetadata()
    sess.run(tf.log(1.0), options=tf.RunOptions(trace_level=3), run_metadata=told)
