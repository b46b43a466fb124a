"""Long-term memory: how bias accumulates in it, spreads, and what stops it (paper 002)."""
