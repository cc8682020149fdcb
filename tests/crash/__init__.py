"""A writer that is killed and let down: the program, what it writes, and what readers must see."""
