"""Fairness in role-play: whether a role given to a model makes its answers more biased (paper 001)."""
