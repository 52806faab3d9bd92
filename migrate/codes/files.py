"""Codes E0xx: files that cannot be read or written."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "E001",
        "cannot be read",
        "The path does not exist, may not be read, or is no regular file. All other "
        "files are done.",
    ),
    Code(
        "E002",
        "unknown encoding",
        "The bytes are not in the encoding that the file's coding line (PEP 263) names, "
        "or UTF-8 without one; or the result would not fit it. The finding names the "
        "first byte that is wrong. Save the file as UTF-8, or correct its coding line.",
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E003",
        "syntax error",
        "The file is not valid Python 3, or a notebook is not valid JSON. In a notebook "
        "every code cell has to be valid by itself. A file that is valid neither in Python 3 "
        "nor in Python 2 is told so.",
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E004",
        "Python 2",
        "The file is Python 2. With --python2 it is brought to Python 3 first, and then "
        "migrated; or do so yourself, for instance with python-modernize.",
        before='print "loss", loss',
        after='print("loss", loss)',
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E005",
        "too deep",
        "The file is nested more deeply, or is larger, than can be analysed. Generated "
        "code can be like that: leave it out with --exclude, or put its data into a file.",
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E006",
        "cannot be written",
        "The file or its directory is read-only, the disk is full, or the file was "
        "changed while tf1to2 ran.",
        promise="The file is as it was: a result replaces it whole or not at all.",
    ),
    Code(
        "E007",
        "TensorFlow 1 in a magic",
        "A notebook's magic or shell line installs or selects TensorFlow 1 in a way that is "
        "not read (conda, a wheel's address), or in a notebook of which something else is "
        "refused; or a cell is another program's source. Only IPython sees it, so it is "
        "not migrated. Change or delete it.",
        before="!conda install tensorflow=1.15",
        after="!conda install tensorflow tf-keras",
    ),
    Code(
        "E008",
        "TensorFlow 2 is installed",
        "A notebook's line that installed or selected TensorFlow 1 installs the versions "
        "that the migrated notebook runs on, and TensorFlow's own companions (estimator, "
        "tensorboard) come with them. What else the line installs stays: versions that were "
        "chosen for TensorFlow 1 may have to change.",
        before="%tensorflow_version 1.x",
        after='%pip install -q "tensorflow>=2.15,<2.22" "tf-keras>=2.15,<2.22"',
        refused_when="Something in the notebook is refused: it is TensorFlow 1's then.",
    ),
    Code(
        "E009",
        "division",
        "Python 2's `/` floored for two integers. Here it cannot be seen what is divided: "
        "nothing says that it is an integer, or that one side is a float. The slash is "
        "left, and each such line is reported once. What is seen: numbers, names whose every "
        "binding is one, flags by the kind of their definition, and calls like `len`.",
        before="steps = FLAGS.examples / FLAGS.batch",
        after="steps = FLAGS.examples // FLAGS.batch",
        refused_when="neither side is seen to be an integer or a float.",
    ),
    Code(
        "E010",
        "brought to Python 3",
        "With --python2 a Python 2 source becomes Python 3 before it is migrated, by the "
        "fixers of fissix (the maintained lib2to3), also where it happens to parse as Python "
        "3: `7 / 2` is 3, and `map` makes a list, at once. A file with syntax that only "
        "Python 3 has is left. A file whose result would mean something else if it were read "
        "as Python 2 again says in its first line that it is Python 3. `--diff` shows the two "
        "steps apart.",
        before="for k, v in d.iteritems(): print k",
        after="for k, v in d.items(): print(k)",
        promise="What lib2to3's fixers promise. Where both sides of a division are seen to "
        "be integers, it floors as before. Text and bytes are left as they are written: "
        "Python 3 tells them apart.",
        refused_when="a division cannot be told (E009).",
    ),
    Code(
        "E011",
        "another meaning in Python 3",
        "A line that Python 2 and 3 both read, and that does something else in Python 3: "
        "`round`, a list's loop variable that is read after it, `cmp`, draws of "
        "`random` from a seed, methods that Python 3 does not call (`__div__`, `__cmp__`). "
        "The line is left.",
        before="keep = round(2.5)",
        after="keep = math.floor(2.5 + 0.5)",
        refused_when="--python2 meets it: nobody but you knows what is meant.",
    ),
)
