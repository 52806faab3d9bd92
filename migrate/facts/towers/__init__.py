"""What a program computes of its towers' gradients and losses, told by trying it on numbers."""
