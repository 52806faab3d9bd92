"""What builds a program's graph elsewhere, brought to where its session is."""
