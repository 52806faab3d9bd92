"""Libraries beside TensorFlow, by what they may do with the graph of a program."""

from __future__ import annotations

# What a library is for -> packages that build nothing in a graph and run no session.
_WITHOUT_GRAPHS = {
    "arrays, tables and statistics": "h5py hmmlearn imblearn lightgbm lmdb mlxtend networkx numba numpy pandas scipy sklearn toolz xgboost",
    "pictures and plots": "cv2 Image imageio imutils matplotlib mnist moviepy mpl_toolkits opensimplex PIL pylab seaborn skimage skvideo torchvision",
    "sound": "librosa midi mido music21 pyaudio pydub python_speech_features soundfile",
    "text": "bs4 editdistance gensim jieba nltk unidecode xlrd xlwt",
    "games and simulators": "Box2D gym pygame",
    "files, processes and the web": "boto3 dill flask gzip joblib pexpect psutil pymysql redis requests simplejson ujson urllib2 wget yaml",
    "the terminal and options": "absl attr click colorama IPython pprint prettytable progressbar tabulate termcolor tqdm",
    "Python's own past": "__future__ ConfigParser cPickle cStringIO future past Queue six StringIO",
}
WITHOUT_GRAPHS = frozenset(
    package for listed in _WITHOUT_GRAPHS.values() for package in listed.split()
)
# Packages whose functions take tensors of TensorFlow 2, and why that is known.
_ON_TENSORFLOW_2 = {
    "keras": "rules of their own read it: `migrate/rules/mistakes`",
    "tensorflow_probability": "releases for TensorFlow 2; recipes of tf.contrib name it",
    "tf_keras": "it is made for TensorFlow 2 alone",
    "tf_slim": "version 1.1.0 was tried on TensorFlow 2.21: `migrate/tables/contrib.py`",
}
# Packages that may be given tensors.
TAKING_TENSORS = WITHOUT_GRAPHS | frozenset(_ON_TENSORFLOW_2)
