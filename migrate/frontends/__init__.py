"""One module per shape of TF1 program; each makes the same IR."""
