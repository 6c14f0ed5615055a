"""Every wrong implementation that ships."""

from __future__ import annotations

from properties.mutants.mutant import Mutant
from properties.mutants.of_attention import ATTENTION
from properties.mutants.of_centring import CENTRING
from properties.mutants.of_descent import TRAIN
from properties.mutants.of_divisors import DIVISORS
from properties.mutants.of_evidence import G_BAR, Q_BAR_AND_DELTA_BAR, SIGMA_B
from properties.mutants.of_gradients import GRADIENTS
from properties.mutants.of_heads import HEAD_PROFILE
from properties.mutants.of_induction import INDUCTION_SCORE, SEQUENCE_INDUCTION_SCORE
from properties.mutants.of_inputs import INPUTS
from properties.mutants.of_layers import MULTI_HEAD_OUTPUT, PROBE_SPLIT
from properties.mutants.of_positions import POSITIONS
from properties.mutants.of_predictions import LOGITS, LOSS
from properties.mutants.of_tables import B_BAR, PHI_BAR
from properties.mutants.of_weights import COMPOSITION_SCORE, REMOVE_PROJECTION
from properties.mutants.of_wiring import GRADIENTS_WIRING, LOGITS_WIRING

MUTANTS: tuple[Mutant, ...] = (
    *B_BAR,
    *PHI_BAR,
    *SIGMA_B,
    *G_BAR,
    *Q_BAR_AND_DELTA_BAR,
    *DIVISORS,
    *POSITIONS,
    *CENTRING,
    *ATTENTION,
    *LOGITS,
    *LOSS,
    *LOGITS_WIRING,
    *GRADIENTS,
    *GRADIENTS_WIRING,
    *TRAIN,
    *REMOVE_PROJECTION,
    *HEAD_PROFILE,
    *INDUCTION_SCORE,
    *SEQUENCE_INDUCTION_SCORE,
    *COMPOSITION_SCORE,
    *MULTI_HEAD_OUTPUT,
    *PROBE_SPLIT,
    *INPUTS,
)
