"""What was said, as data: pure functions from text to codes."""
