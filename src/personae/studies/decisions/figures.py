"""x"""

from personae.types import *


def figures(estimates, outcomes):
    return []
