"""Pure statistics: arrays in, frozen results out.

Nothing here reads, writes or imports from the rest of the project. Data that cannot answer give nan and a
``reason``, never a warning and never a number; only a misuse (an impossible level, lengths that differ)
raises ``ValueError``.
"""
