import absl
import attr
import boto3
import Box2D
import bs4
import click
import colorama
import ConfigParser
import cPickle
import cStringIO
import cv2
import dill
import editdistance
import flask
import future
import gensim
import google
import gym
import h5py
import hmmlearn
import Image
import imageio
import imblearn
import imutils
import IPython
import jieba
import joblib
import librosa
import lightgbm
import lmdb
import matplotlib
import midi
import mido
import mlxtend
import mnist
import moviepy
import mpl_toolkits
import music21
import networkx
import nltk
import numba
import numpy
import opensimplex
import pandas
import past
import pexpect
import PIL
import prettytable
import progressbar
import psutil
import pyaudio
import pydub
import pygame
import pylab
import pymysql
import python_speech_features
import Queue
import redis
import requests
import scipy
import seaborn
import simplejson
import six
import skimage
import sklearn
import skvideo
import soundfile
import StringIO
import tabulate
import tensorflow as tf
import tensorflow_probability
import termcolor
import toolz
import torchvision
import tqdm
import ujson
import unidecode
import urllib2
import wget
import xgboost
import xlrd
import xlwt
import yaml

x = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
loss += absl.show(loss)
loss += attr.show(loss)
loss += boto3.show(loss)
loss += Box2D.show(loss)
loss += bs4.show(loss)
loss += click.show(loss)
loss += colorama.show(loss)
loss += ConfigParser.show(loss)
loss += cPickle.show(loss)
loss += cStringIO.show(loss)
loss += cv2.show(loss)
loss += dill.show(loss)
loss += editdistance.show(loss)
loss += flask.show(loss)
loss += future.show(loss)
loss += gensim.show(loss)
loss += google.show(loss)
loss += gym.show(loss)
loss += h5py.show(loss)
loss += hmmlearn.show(loss)
loss += Image.show(loss)
loss += imageio.show(loss)
loss += imblearn.show(loss)
loss += imutils.show(loss)
loss += IPython.show(loss)
loss += jieba.show(loss)
loss += joblib.show(loss)
loss += librosa.show(loss)
loss += lightgbm.show(loss)
loss += lmdb.show(loss)
loss += matplotlib.show(loss)
loss += midi.show(loss)
loss += mido.show(loss)
loss += mlxtend.show(loss)
loss += mnist.show(loss)
loss += moviepy.show(loss)
loss += mpl_toolkits.show(loss)
loss += music21.show(loss)
loss += networkx.show(loss)
loss += nltk.show(loss)
loss += numba.show(loss)
loss += numpy.show(loss)
loss += opensimplex.show(loss)
loss += pandas.show(loss)
loss += past.show(loss)
loss += pexpect.show(loss)
loss += PIL.show(loss)
loss += prettytable.show(loss)
loss += progressbar.show(loss)
loss += psutil.show(loss)
loss += pyaudio.show(loss)
loss += pydub.show(loss)
loss += pygame.show(loss)
loss += pylab.show(loss)
loss += pymysql.show(loss)
loss += python_speech_features.show(loss)
loss += Queue.show(loss)
loss += redis.show(loss)
loss += requests.show(loss)
loss += scipy.show(loss)
loss += seaborn.show(loss)
loss += simplejson.show(loss)
loss += six.show(loss)
loss += skimage.show(loss)
loss += sklearn.show(loss)
loss += skvideo.show(loss)
loss += soundfile.show(loss)
loss += StringIO.show(loss)
loss += tabulate.show(loss)
loss += tensorflow_probability.show(loss)
loss += termcolor.show(loss)
loss += toolz.show(loss)
loss += torchvision.show(loss)
loss += tqdm.show(loss)
loss += ujson.show(loss)
loss += unidecode.show(loss)
loss += urllib2.show(loss)
loss += wget.show(loss)
loss += xgboost.show(loss)
loss += xlrd.show(loss)
loss += xlwt.show(loss)
loss += yaml.show(loss)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: [[1.0]]})
