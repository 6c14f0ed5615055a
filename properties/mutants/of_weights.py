"""Slips in the composition score and in removing a projection."""

from __future__ import annotations

from functools import partial

from properties.laws.given import IN_PLACE
from properties.mutants.mutant import Mutant

_composition = partial(Mutant, method="composition_score", function="composition_score")
_projection = partial(Mutant, method="remove_projection", function="remove_projection")

COMPOSITION_SCORE = (
    _composition(
        "composition_without_norms",
        slip="the norm of the product is not divided by those of the factors",
        right="float(np.linalg.norm(product) / size)",
        wrong="float(np.linalg.norm(product))",
        caught_by=("composition.formula", "composition.scale_free", "composition.extremes"),
    ),
    _composition(
        "composition_one_norm",
        slip="the norm of the product is divided by that of one factor only",
        right="np.linalg.norm(first) * np.linalg.norm(second)",
        wrong="np.linalg.norm(first)",
        caught_by=("composition.formula", "composition.reversed"),
    ),
    _composition(
        "composition_sum_of_norms",
        slip="the norm of the product is divided by the sum of the factors' norms",
        right="np.linalg.norm(first) * np.linalg.norm(second)",
        wrong="np.linalg.norm(first) + np.linalg.norm(second)",
        caught_by=("composition.formula", "composition.scale_free"),
    ),
    _composition(
        "composition_squared",
        slip="the score is squared",
        right="float(np.linalg.norm(product) / size)",
        wrong="float((np.linalg.norm(product) / size) ** 2)",
        caught_by=("composition.formula", "random.composition"),
    ),
    _composition(
        "composition_over_chance",
        slip="the score is divided by what random matrices score, 1/sqrt(n)",
        right="np.linalg.norm(product) / size",
        wrong="np.linalg.norm(product) / size * np.sqrt(len(second))",
        caught_by=("composition.formula", "random.composition"),
    ),
    _composition(
        "composition_less_chance",
        slip="what random matrices score, 1/sqrt(n), is subtracted",
        right="np.linalg.norm(product) / size",
        wrong="np.linalg.norm(product) / size - 1 / np.sqrt(len(second))",
        caught_by=("composition.formula", "random.composition"),
    ),
    _composition(
        "composition_other_order",
        slip="the factors are multiplied in the other order",
        right="first @ second",
        wrong="second @ first",
        caught_by=("composition.formula",),
    ),
    _composition(
        "composition_factor_transposed",
        slip="the second factor is transposed",
        right="first @ second",
        wrong="first @ second.T",
        caught_by=("composition.formula", "composition.basis_free"),
    ),
    _composition(
        "composition_entrywise",
        slip="the factors are multiplied entry by entry, * for @",
        right="first @ second",
        wrong="first * second",
        caught_by=("composition.formula", "composition.basis_free"),
    ),
    _composition(
        "composition_spectral_norm",
        slip="the norm of the product is the spectral one",
        right="np.linalg.norm(product)",
        wrong="np.linalg.norm(product, 2)",
        caught_by=("composition.formula",),
    ),
    _composition(
        "composition_signed",
        slip="the score is the cosine of the factors, which has a sign",
        right="np.linalg.norm(product) / size",
        wrong="(first * second).sum() / size",
        caught_by=("composition.formula", "composition.scale_free"),
    ),
)

REMOVE_PROJECTION = (
    _projection(
        "projection_not_normalised",
        slip="the inner product is not divided by <D, D>",
        right="(weight * direction).sum() / square",
        wrong="(weight * direction).sum()",
        caught_by=("projection.formula", "projection.scale_free", "projection.orthogonal"),
    ),
    _projection(
        "projection_norm_not_squared",
        slip="the inner product is divided by |D|, not by <D, D>",
        right="(weight * direction).sum() / square",
        wrong="(weight * direction).sum() / np.sqrt(square)",
        caught_by=("projection.formula", "projection.scale_free", "projection.idempotent"),
    ),
    _projection(
        "projection_kept",
        slip="the projection is answered, not what is left without it",
        right="weight - along * direction",
        wrong="along * direction",
        caught_by=("projection.formula", "projection.orthogonal"),
    ),
    _projection(
        "projection_without_direction",
        slip="the coefficient of the projection is subtracted, without the direction",
        right="weight - along * direction",
        wrong="weight - along",
        caught_by=("projection.formula", "projection.orthogonal", "projection.scale_free"),
    ),
    _projection(
        "projection_reflected",
        slip="the projection is removed twice over, which turns it round",
        right="weight - along * direction",
        wrong="weight - 2 * along * direction",
        caught_by=("projection.formula", "projection.orthogonal", "projection.idempotent"),
    ),
    _projection(
        "projection_added",
        slip="the projection is added",
        right="weight - along * direction",
        wrong="weight + along * direction",
        caught_by=("projection.formula", "projection.orthogonal", "projection.idempotent"),
    ),
    _projection(
        "projection_of_its_size",
        slip="the sign of the inner product is lost",
        right="along = (weight * direction).sum() / square",
        wrong="along = abs((weight * direction).sum()) / square",
        caught_by=("projection.formula", "projection.scale_free"),
    ),
    _projection(
        "projection_by_row",
        slip="each row is projected on its own",
        right="along = (weight * direction).sum() / square",
        wrong="along = (weight * direction).sum(axis=-1, keepdims=True) / square",
        caught_by=("projection.formula", "projection.orthogonal"),
    ),
    _projection(
        "projection_direction_transposed",
        slip="the inner product is with the transposed direction: a trace without its transpose",
        right="(weight * direction).sum()",
        wrong="np.trace(weight @ direction)",
        caught_by=("projection.formula", "projection.orthogonal"),
    ),
    _projection(
        "projection_normalised_by_weight",
        slip="the inner product is divided by <W, W>, not by <D, D>",
        right="(weight * direction).sum() / square",
        wrong="(weight * direction).sum() / max((weight * weight).sum(), 1e-300)",
        caught_by=("projection.formula", "projection.scale_free"),
    ),
    _projection(
        "projection_of_zero",
        slip="along a zero direction 0 is divided by 0",
        right="if square == 0:",
        wrong="if False:",
        caught_by=("projection.zero_direction",),
    ),
    _projection(
        "projection_in_place",
        slip="the projection is taken out of the weight that was given, which lacks it from then on",
        kind=IN_PLACE,
        right="weight - along * direction",
        wrong="np.subtract(weight, along * direction, out=weight)",
        caught_by=("projection.given",),
    ),
    _projection(
        "projection_zeroed",
        slip="along a zero direction zero is answered, not the weight",
        right="return weight\n",
        wrong="return 0 * weight\n",
        caught_by=("projection.zero_direction",),
    ),
    _projection(
        "projection_float32",
        slip="the inner product is taken in float32",
        kind="float32",
        right="(weight * direction).sum() / square",
        wrong="(weight * direction).sum(dtype=np.float32) / np.float32(square)",
        caught_by=("projection.formula",),
    ),
)
