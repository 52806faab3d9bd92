"""Files and directories: which are ours to look at, and writing them whole."""
