"""Long-term memory (paper 002): how bias accumulates in it, spreads, and what stops it."""
