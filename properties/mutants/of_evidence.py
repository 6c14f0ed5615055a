"""Slips in what is composed of the two tables: Sigma_B, G_bar, Q_bar and Delta_bar."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_whole = partial(Mutant, method="statistics", function="statistics")
_evidence = partial(Mutant, method="statistics", function="evidence")

SIGMA_B = (
    _whole(
        "Sigma_B_of_rows",
        slip="Sigma_B is B_bar B_bar^T, which compares what follows words, not what comes before them",
        right="B_bar.T @ B_bar",
        wrong="B_bar @ B_bar.T",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD", "statistics.Sigma_B_rows"),
    ),
    _whole(
        "Sigma_B_factor_not_transposed",
        slip="the first factor of Sigma_B is not transposed",
        right="B_bar.T @ B_bar",
        wrong="B_bar @ B_bar",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_symmetric", "statistics.Sigma_B_is_DCD"),
    ),
    _whole(
        "Sigma_B_entrywise",
        slip="Sigma_B is multiplied entry by entry, * for @",
        right="B_bar.T @ B_bar",
        wrong="B_bar.T * B_bar",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD", "statistics.Sigma_B_rows"),
    ),
    _whole(
        "Sigma_B_averaged",
        slip="Sigma_B is averaged over the V current words, not summed",
        right="B_bar.T @ B_bar",
        wrong="B_bar.T @ B_bar / vocab_size",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD"),
    ),
    _whole(
        "Sigma_B_covariance",
        slip="the mean of each column of B_bar is subtracted before Sigma_B is composed, as in a covariance",
        right="B_bar.T @ B_bar",
        wrong="(B_bar - B_bar.mean(axis=0)).T @ B_bar",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD"),
    ),
    _whole(
        "Sigma_B_cosines",
        slip="the columns of B_bar are normalised before Sigma_B is composed: C, not D C D",
        right="B_bar.T @ B_bar",
        wrong="(unit := B_bar / np.maximum(np.linalg.norm(B_bar, axis=0), 1e-300)).T @ unit",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD"),
    ),
    _whole(
        "Sigma_B_diagonal",
        slip="Sigma_B keeps its diagonal only: how strong words are, not how alike",
        right="B_bar.T @ B_bar",
        wrong="np.diag((B_bar * B_bar).sum(axis=0))",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_rows", "statistics.Sigma_B_is_DCD"),
    ),
    _whole(
        "Sigma_B_float32",
        slip="Sigma_B is composed in float32",
        right="B_bar.T @ B_bar",
        wrong="B_bar.T.astype(np.float32) @ B_bar.astype(np.float32)",
        kind="float32",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD"),
    ),
)

G_BAR = (
    _whole(
        "G_bar_transposed",
        slip="G_bar has the context first and the target second",
        right="Sigma_B @ Phi_bar",
        wrong="(Sigma_B @ Phi_bar).T",
        kind="transposed",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes", "statistics.G_bar_columns"),
    ),
    _whole(
        "G_bar_factor_transposed",
        slip="G_bar is composed with Phi_bar^T",
        right="Sigma_B @ Phi_bar",
        wrong="Sigma_B @ Phi_bar.T",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes"),
    ),
    _whole(
        "G_bar_other_order",
        slip="G_bar is composed in the other order, Phi_bar Sigma_B",
        right="Sigma_B @ Phi_bar",
        wrong="Phi_bar @ Sigma_B",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes", "statistics.G_bar_rows"),
    ),
    _whole(
        "G_bar_entrywise",
        slip="G_bar is multiplied entry by entry, * for @",
        right="Sigma_B @ Phi_bar",
        wrong="Sigma_B * Phi_bar",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes", "statistics.G_bar_columns"),
    ),
    _whole(
        "G_bar_with_B_bar",
        slip="G_bar is composed of B_bar^T and Phi_bar, not of Sigma_B and Phi_bar",
        right="Sigma_B @ Phi_bar",
        wrong="B_bar.T @ Phi_bar",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes"),
    ),
    _whole(
        "G_bar_Sigma_B_twice",
        slip="Sigma_B is applied twice in G_bar",
        right="Sigma_B @ Phi_bar",
        wrong="Sigma_B @ Sigma_B @ Phi_bar",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes"),
    ),
    _whole(
        "G_bar_negated",
        slip="G_bar has the sign of the loss, not of the ascent",
        right="Sigma_B @ Phi_bar",
        wrong="-Sigma_B @ Phi_bar",
        kind="negated",
        caught_by=("statistics.G_bar", "statistics.G_bar_composes"),
    ),
)

Q_BAR_AND_DELTA_BAR = (
    _evidence(
        "Q_bar_transposed",
        slip="Q_bar has the key first and the query second",
        right="Q_bar[query, key] += pull[k]",
        wrong="Q_bar[key, query] += pull[k]",
        kind="transposed",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_rows", "statistics.Q_bar_columns"),
    ),
    _evidence(
        "Q_bar_not_divided",
        slip="the evidence in Q_bar is added up, not divided by NT",
        right="return Q_bar / positions, Delta_bar / positions",
        wrong="return Q_bar, Delta_bar / positions",
        kind="not divided by NT",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed", "statistics.repeated"),
    ),
    _evidence(
        "Delta_bar_not_divided",
        slip="the evidence in Delta_bar is added up, not divided by NT",
        right="return Q_bar / positions, Delta_bar / positions",
        wrong="return Q_bar / positions, Delta_bar",
        kind="not divided by NT",
        caught_by=("statistics.Delta_bar", "statistics.Delta_bar_probed", "statistics.repeated"),
    ),
    _evidence(
        "Q_bar_without_1_over_t",
        slip="the pull of position t is not divided by t",
        right="pull = pull / (t + 1)",
        wrong="pull = pull",
        kind="1/t missing",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Q_bar_1_over_t_twice",
        slip="the pull of position t is divided by t twice",
        right="pull = pull / (t + 1)",
        wrong="pull = pull / (t + 1) ** 2",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Q_bar_not_centred",
        slip="the mean over the prefix is not subtracted from the pull",
        right="pull - pull.mean()",
        wrong="pull",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_rows", "statistics.repeated_word"),
    ),
    _evidence(
        "Q_bar_centred_over_T",
        slip="the pull is centred by its sum over T, not over the t words of the prefix",
        right="pull.mean()",
        wrong="pull.sum() / (len(sequence) - 1)",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_rows", "statistics.Delta_bar_sums_to_zero"),
    ),
    _evidence(
        "Q_bar_negated",
        slip="the pull has the sign of the loss, not of the ascent",
        right="pull - pull.mean()",
        wrong="pull.mean() - pull",
        kind="negated",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Q_bar_excludes_t",
        slip="word t is left out of the keys of position t",
        right="sequence[: t + 1], sequence[t + 1]",
        wrong="sequence[:t], sequence[t + 1]",
        kind="position t excluded",
        caught_by=("statistics.Q_bar", "statistics.Delta_bar"),
    ),
    _evidence(
        "Q_bar_without_the_mask",
        slip="every query reads the whole sequence, as if there were no causal mask",
        right="sequence[: t + 1], sequence[t + 1]",
        wrong="sequence[:-1], sequence[t + 1]",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed"),
    ),
    _evidence(
        "Q_bar_target_off_by_one",
        slip="the pull of position t is that of word t, not of its target",
        right="sequence[: t + 1], sequence[t + 1]",
        wrong="sequence[: t + 1], sequence[t]",
        kind="target off by one",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Q_bar_G_bar_read_by_context",
        slip="the pull reads G_bar as [context, target]",
        right="G_bar[:, prefix]",
        wrong="G_bar[prefix].T",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Q_bar_overwritten",
        slip="the evidence for a pair of words is overwritten, not added up",
        right="Q_bar[query, key] += pull[k]",
        wrong="Q_bar[query, key] = pull[k]",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_rows"),
    ),
    _evidence(
        "Q_bar_float32",
        slip="the evidence is added up in float32",
        right="return Q_bar / positions, Delta_bar",
        wrong="return Q_bar.astype(np.float32) / positions, Delta_bar",
        kind="float32",
        caught_by=("statistics.Q_bar", "statistics.Q_bar_probed"),
    ),
    _evidence(
        "Delta_bar_by_position",
        slip="Delta_bar is gathered by the key's position, not by its distance",
        right="Delta_bar[distance]",
        wrong="Delta_bar[k]",
        caught_by=("statistics.Delta_bar", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Delta_bar_distance_negated",
        slip="the distance is taken as k - t, which counts from the end of Delta_bar",
        right="t - k",
        wrong="k - t",
        caught_by=("statistics.Delta_bar", "statistics.Delta_bar_probed"),
    ),
    _evidence(
        "Delta_bar_averaged",
        slip="each distance of Delta_bar is averaged over its own pairs, not over all positions",
        right="Delta_bar / positions",
        wrong="Delta_bar / (len(tokens) * np.arange(len(Delta_bar), 0, -1))",
        caught_by=("statistics.Delta_bar", "statistics.Delta_bar_probed"),
    ),
)
