"""The bias benchmark (Parrish et al. 2022): is a question that nothing decides answered by the stereotype?"""

from personae.studies.bbq.study import Bbq
from personae.study.base import Family

FAMILY = Family(name="bbq", title="Stereotyped answers", studies=(Bbq,))
