"""The measures of the companion experiments: outcomes in, estimates out."""

from personae.studies.companions.measures_emotion import emotion_estimates
from personae.studies.companions.measures_iat import iat_estimates
from personae.studies.companions.measures_sycophancy import sycophancy_estimates

__all__ = ["emotion_estimates", "iat_estimates", "sycophancy_estimates"]
