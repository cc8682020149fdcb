"""What the tests share: running the command, reading files, comparing them."""
