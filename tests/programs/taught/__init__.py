"""Programs as guides and answers teach them, and their readers copy them."""
