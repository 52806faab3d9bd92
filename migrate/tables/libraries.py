"""Libraries beside TensorFlow, by what they may do with the graph of a program."""

from __future__ import annotations

# Packages that build nothing in a graph and run no session.
WITHOUT_GRAPHS = frozenset(
    (
        # Arrays, tables and statistics.
        "h5py hmmlearn imblearn lightgbm lmdb mlxtend networkx numba numpy "
        "pandas scipy sklearn toolz xgboost "
        # Pictures and plots.
        "cv2 Image imageio imutils matplotlib mnist moviepy mpl_toolkits "
        "opensimplex PIL pylab seaborn skimage skvideo torchvision "
        # Sound.
        "librosa midi mido music21 pyaudio pydub python_speech_features "
        "soundfile "
        # Text.
        "bs4 editdistance gensim jieba nltk unidecode xlrd xlwt "
        # Games and simulators.
        "Box2D gym pygame "
        # Files, processes and the web.
        "boto3 dill flask google joblib pexpect psutil pymysql redis requests "
        "simplejson ujson urllib2 wget yaml "
        # The terminal and options.
        "absl attr click colorama IPython prettytable progressbar tabulate "
        "termcolor tqdm "
        # What Python 2 called otherwise.
        "ConfigParser cPickle cStringIO future past Queue six StringIO "
    ).split()
)
# Packages that may be given tensors. Rules of their own read Keras, and recipes of
# tf.contrib name functions of tensorflow_probability.
TAKING_TENSORS = WITHOUT_GRAPHS | frozenset({"keras", "tensorflow_probability"})
