"""x"""

from personae.types import *


def findings(estimates, outcomes):
    return []
