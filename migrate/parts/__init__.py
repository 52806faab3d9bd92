"""Programs of a tree whose graph is built by modules of their own.

    # model.py                          # train.py
    def build_graph(n): ...             from model import build_graph
                                        ...
                                        with tf.train.MonitoredTrainingSession(...) as sess:

A step function needs all of the graph in one place, so the program is migrated with
these modules in it, where it imports them; `together` reads the files before any is
migrated. A module of which all programs are migrated so is left as it is, and says at its
top where its code is now.
"""
