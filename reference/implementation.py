"""The reference as an implementation under test: the methods of the protocol, and nothing else."""

from __future__ import annotations

from reference.attention_metrics import head_profile, induction_score
from reference.composition import composition_score
from reference.descent import train
from reference.gradients import gradients
from reference.induction import sequence_induction_score
from reference.interventions import remove_projection
from reference.model import attention, logits, loss
from reference.multi_head import multi_head_output
from reference.probe_split import probe_split
from reference.statistics import statistics


class Reference:
    """Plain NumPy float64."""

    name = "reference"
    dtype = "float64"
    statistics = staticmethod(statistics)
    logits = staticmethod(logits)
    attention = staticmethod(attention)
    loss = staticmethod(loss)
    gradients = staticmethod(gradients)
    train = staticmethod(train)
    remove_projection = staticmethod(remove_projection)
    head_profile = staticmethod(head_profile)
    induction_score = staticmethod(induction_score)
    sequence_induction_score = staticmethod(sequence_induction_score)
    composition_score = staticmethod(composition_score)
    multi_head_output = staticmethod(multi_head_output)
    probe_split = staticmethod(probe_split)


implementation = Reference()
