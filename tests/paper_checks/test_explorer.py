"""The explorer shows what its models do: every number is found here anew, from their weights."""

from dataclasses import replace

import numpy as np
import pytest
from calling import called

pytest.importorskip("torch", reason="the explorer trains a model")

import torch
from explored import SETTING, SMALL, explored
from scipy import stats

from gpu.small_gpt.model import SmallGPT
from gpu.threads import threads_worth
from paper_checks.experiments.models import UNTRAINED, text, text_config, unseen_windows
from paper_checks.experiments.setting import check_memory
from paper_checks.explorer.data import PARTS, TEXTS, WRITTEN
from properties.laws.statistics_exact import to_float
from properties.tolerances import gamma, unit_roundoff
from reference.attention_metrics import head_profile
from reference.errors import InputError
from reference.output_size import copying_cosine, relative_output
from reference.resampling import over_sequences
from theory import baselines

SINGLE = gamma(10_000, unit_roundoff("float32"))
L, H, T = SMALL.layers, SMALL.heads, SMALL.context


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Models this small are fastest on one thread."""
    with threads_worth(0):
        yield


@pytest.fixture(scope="module")
def data():
    return explored()


@pytest.fixture(scope="module")
def models():
    """The models shown, made here anew: the first seed's, and one of a seed that is never trained."""
    config, seeds = text_config(SETTING), {"trained": SETTING.seed, "untrained": UNTRAINED + SETTING.seed}
    return {name: SmallGPT(config, (seed,)) for name, seed in seeds.items()}


@pytest.fixture(scope="module")
def windows():
    return unseen_windows(SETTING)


@pytest.fixture(scope="module")
def removals():
    """The trained model, then without each head in turn: its rows of W_O are zero, so it writes nothing."""
    found = SmallGPT(text_config(SETTING), (SETTING.seed,) * (1 + L * H))
    k = found.config.head_width
    with torch.no_grad():
        for number, (layer, head) in enumerate(np.ndindex(L, H), start=1):
            found.weights["W_O"][number, layer, head * k : (head + 1) * k] = 0
    return found


@torch.no_grad()
def losses_of(models, tokens):
    """Return the losses [M, N, T] from the log of the softmax of the logits."""
    x, y = torch.from_numpy(tokens[:, :-1]), torch.from_numpy(tokens[:, 1:])
    log_p = models(x).double().log_softmax(dim=-1)
    return -log_p.gather(-1, y[None, ..., None].expand(len(log_p), -1, -1, 1))[..., 0].numpy()


def rounds_to(shown, value, digits=4):
    """Whether what is shown is a value to so many digits, but for the rounding of float32."""
    return np.abs(np.asarray(shown) - value).max() <= 0.5 / 10**digits + SINGLE * (1 + np.abs(value).max())


def test_texts_and_maps_are_those_of_the_models(data, models, windows):
    assert data["texts"] == [text(SETTING).text(row.tolist()) for row in windows[:TEXTS]]
    assert (data["layers"], data["heads"], data["setting"]) == (L, H, SETTING.told())
    rows, columns = np.tril_indices(T)
    for name, model in models.items():
        with torch.no_grad():
            maps = model.run(torch.from_numpy(windows[:TEXTS, :-1])).attention
        for layer, head, n in np.ndindex(L, H, TEXTS):
            shown = np.array(data["models"][name]["maps"][layer][head][n]) / PARTS
            own = maps[layer][0, head, n].numpy()[rows, columns]
            assert np.abs(shown - own).max() <= 0.5 / PARTS + SINGLE, name


def test_profiles_are_means_over_all_windows_beside_uniform_attention(data, models, windows):
    for name, model in models.items():
        with torch.no_grad():
            trace = model.run(torch.from_numpy(windows[:, :-1]))
        for layer, head in np.ndindex(L, H):
            stream = trace.streams[layer][0].double().numpy()
            written = model.head_outputs(layer, trace.mixed[layer])[0, head].detach().double().numpy()
            expected = {
                **head_profile(trace.attention[layer][0, head].double().numpy()),
                "relative_output": relative_output(written, stream),
                "copying": copying_cosine(written, stream),
                "output_norm": np.linalg.norm(written, axis=-1).mean(axis=-1),
            }
            shown = data["models"][name]["profiles"][layer][head]
            assert shown.keys() == expected.keys()
            for metric, value in expected.items():
                assert rounds_to(shown[metric], value.mean()), (name, layer, head, metric)
    closed = {
        "entropy": baselines.normalised_entropy(T),
        "diagonal": baselines.mean_diagonal(T),
        "previous": baselines.mean_previous(T),
        "distance": baselines.mean_distance(T),
        "relative_diagonal": baselines.relative_diagonal(T),
    }
    assert data["uniform"] == {name: round(to_float(one), 4) for name, one in closed.items()}


def test_spectra_are_the_eigenvalues_of_the_covariances(data, models):
    for name, model in models.items():
        spectra = data["models"][name]["spectra"]
        for kind, weight in (("tokens", "W_E"), ("positions", "W_pos")):
            rows = model.weights[weight][0].detach().double().numpy()
            values = np.linalg.eigvalsh(np.cov(rows.T))[::-1][: min(len(rows) - 1, rows.shape[1])]
            assert len(spectra[kind]) == len(values)
            assert rounds_to(spectra[kind], values / values.sum()), (name, kind)


def test_removals_are_told_over_all_windows_and_by_position(data, removals, windows):
    whole, *removed = losses_of(removals, windows)
    assert rounds_to(data["removal"]["loss"], whole.mean())
    assert rounds_to(data["removal"]["by position"], whole.mean(axis=0))
    rises = np.array([one - whole for one in removed])  # [K, N, T]
    rows = data["removal"]["heads"]
    assert [(row["layer"], row["head"]) for row in rows] == list(np.ndindex(L, H))
    interval = over_sequences(rises.mean(axis=2).T, SETTING.seed)
    # Benjamini and Hochberg: the i-th smallest of k times k/i, and none above a later one.
    p = stats.ttest_1samp(rises.mean(axis=2), 0, axis=1).pvalue
    order, k = np.argsort(p), len(p)
    adjusted = np.empty(k)
    adjusted[order] = np.minimum.accumulate((p[order] * k / np.arange(1, k + 1))[::-1])[::-1]
    assert len({*adjusted.round(6), *p.round(6)}) > k  # the correction is seen
    for head, row in enumerate(rows):
        told = [row[name] for name in ("effect", "low", "high")]
        own = [getattr(interval, name)[head] for name in ("value", "low", "high")]
        assert rounds_to(told, np.array(own), digits=6)
        assert rounds_to(row["adjusted p"], adjusted[head], digits=6)
        assert row["better without"] == pytest.approx((rises[head].mean(axis=0) < 0).mean())
        assert rounds_to(row["by position"], rises[head].mean(axis=0))


def test_losses_and_what_is_written_are_without_each_head_in_turn(data, removals, windows):
    assert rounds_to(np.swapaxes(data["losses"], 0, 1), losses_of(removals, windows[:TEXTS]))
    words, begun = text(SETTING), max(2, T // 4)
    tokens = torch.from_numpy(windows[:TEXTS, :begun]).expand(1 + L * H, -1, -1)
    for _ in range(WRITTEN):
        with torch.no_grad():
            likeliest = removals(tokens[..., -T:])[:, :, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, likeliest], dim=-1)
    for n, told in enumerate(data["written"]):
        assert told["beginning"] == words.text(windows[n, :begun].tolist())
        assert told["written"] == [words.text(row) for row in tokens[:, n, begun:].tolist()]
    assert len(data["written"]) == TEXTS
    different = {tuple(one) for one in data["written"][0]["written"]}
    assert len(different) > L * H // 2  # which head is missing is seen


def test_what_cannot_be_trained_is_told_before_it_is(tmp_path, monkeypatch):
    """What a step keeps: four numbers a weight, and scores and weights of attention of every sequence."""
    config = text_config(SETTING)
    weights = sum(value.numel() for value in SmallGPT(config, (0,)).weights.values())
    biases = L * (4 + 1) * SMALL.width
    W_E_and_U = 2 * (SMALL.vocab_size - config.vocab_size) * SMALL.width  # the text has fewer words
    needed = 16 * (weights - biases + W_E_and_U) + 8 * SMALL.batch * L * H * T**2
    monkeypatch.setattr("paper_checks.experiments.setting.physical_memory", lambda: needed)
    check_memory(SMALL)
    monkeypatch.setattr("paper_checks.experiments.setting.physical_memory", lambda: needed - 1)
    with pytest.raises(InputError, match="smaller --width"):
        check_memory(SMALL)
    monkeypatch.undo()
    done = called("explorer", "-o", "e.html", "--context", "1000000", cwd=tmp_path)
    assert done.returncode == 2
    assert "1000000 tokens need" in " ".join(done.stderr.split())


def test_the_sizes_of_the_model_are_options(tmp_path, monkeypatch):
    from paper_checks.explorer import data as made

    asked = []
    monkeypatch.setattr(made, "explorer_data", lambda setting, listed: asked.append(setting) or {})
    monkeypatch.setattr("paper_checks.explorer.page.write_explorer", lambda out, data: None)
    sizes = {"layers": 1, "heads": 2, "width": 16, "context": 24, "vocab_size": 900}
    options = ("--layers", "--heads", "--width", "--context", "--vocab")
    words = [word for name, size in zip(options, sizes.values(), strict=True) for word in (name, str(size))]
    assert called("explorer", "-o", "e.html", *words, cwd=tmp_path).returncode == 0
    assert called("explorer", "-o", "e.html", cwd=tmp_path).returncode == 0
    given, own = (setting.scale for setting in asked)
    assert {name: getattr(given, name) for name in sizes} == sizes
    assert replace(given, **{name: getattr(own, name) for name in sizes}) == own
