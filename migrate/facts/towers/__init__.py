"""Decides by trial on numbers how a program combines its towers' gradients and losses."""
