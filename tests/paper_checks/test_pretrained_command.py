"""`leadterms pretrained` as a person calls it, on small models saved to a folder."""

import json
import re
import sys
from statistics import median

import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="torch is not installed (the extra gpu)")
pytest.importorskip("numba", reason="numba is not installed (the extra gpu)")

from hand_set_circuits import hand_set  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

from paper_checks.command_line import app  # noqa: E402
from paper_checks.ledger.experiments import read_experiments  # noqa: E402
from paper_checks.pretrained.experiment import shown as shown_as  # noqa: E402
from properties.tolerances import rounding  # noqa: E402
from reference.errors import InputError  # noqa: E402
from reference.stories import stories  # noqa: E402

# Two cosines of covariances of 20 words that are the same but for rounding are not further apart.
ROUNDING = float(rounding(1.0, 20**3, "float32"))

MISSING = "transformers is not installed (the extra hub)"


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "stories.txt"
    path.write_text("\n<|endoftext|>\n".join(stories(40, 0)), encoding="utf-8")
    return path


def word_tokenizer(text):
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = sorted(set(re.findall(r"\w+|[^\w\s]+", text.read_text(encoding="utf-8"))))
    numbers = {word: number for number, word in enumerate(["<begin>", "<unknown>", *words])}
    made = Tokenizer(models.WordLevel(numbers, unk_token="<unknown>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory, text):
    """Return a folder with two checkpoints of a small GPT-NeoX and a tokenizer for both."""
    transformers = pytest.importorskip("transformers", reason=MISSING)
    folder = tmp_path_factory.mktemp("neox")
    tokenizer = word_tokenizer(text)
    config = transformers.GPTNeoXConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        bos_token_id=0,
    )
    transformers.utils.logging.disable_progress_bar()
    for seed, name in enumerate(("step0", "step8")):
        torch.manual_seed(seed)
        transformers.GPTNeoXForCausalLM(config).save_pretrained(folder / name)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return folder


def leadterms(*arguments):
    """Run the command; what a person would be told of wrong input is raised."""
    done = CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "80"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_checkpoints_are_compared_with_a_text(tmp_path, checkpoints, text):
    out = tmp_path / "out.jsonl"
    call = ("pretrained", checkpoints, "--revision", "step0", "--revision", "step8", "--corpus", text)
    shown = leadterms(*call, "--length", 12, "--vocab", 20, "--json", out)
    assert max(map(len, shown.splitlines())) <= 80
    for words in ("20 most", "whole vocabulary", "MB besides", "Q_bar transposed", "random weights"):
        assert words in " ".join(shown.split())
    # Two checkpoints; each for the model, random weights and the shuffled corpus.
    assert shown.count("\n  less 1 direction ") == 2 * 3
    assert shown.count("\n  less 10 directions ") == 2 * 2
    lines = read_experiments(out)
    assert lines["pretrained"]["revisions"] == ["step0", "step8"]
    assert lines["alignment step8"]["step"] == 8
    assert lines["theory"]["tokens"] == 20
    for name in ("alignment step0", "alignment step8", "alignment random weights"):
        layers = lines[name]["layers"]
        assert [len(one["heads"]) for one in layers] == [2, 2, 2]
        assert all(-1 <= one["output"]["full"] <= 1 for one in layers)
    assert lines["alignment step0"] != lines["alignment step8"]
    # The controls are of another model and of another corpus.
    # step0 was drawn from the seed that the command draws random weights from.
    random = lines["alignment random weights"]["layers"]
    assert random == lines["alignment step0"]["layers"] != lines["alignment step8"]["layers"]
    for one in lines["alignment step8"]["layers"]:
        for kind in ("attention", "no_mlp", "output"):
            for name in ("full", "less_1"):
                shuffled = one[kind]["shuffled" if name == "full" else f"shuffled_{name}"]
                assert abs(shuffled - one[kind][name]) > ROUNDING, (kind, name)
    rows = shown.splitlines()
    at = max(n for n, row in enumerate(rows) if row.startswith("shuffled corpus"))
    for name, row in (("shuffled", rows[at]), ("shuffled_less_1", rows[at + 1])):
        middle = median(one["output"][name] for one in lines["alignment step8"]["layers"])
        assert row.split()[-1] == shown_as(middle), row
    # Of the last table, the model's own medians and those of random weights.
    for name, layers in (("median", lines["alignment step8"]["layers"]), ("random weights", random)):
        (*_, row) = (row for row in rows if row.startswith(name))
        own = [shown_as(median(one[kind]["full"] for one in layers)) for kind in ("no_mlp", "output")]
        assert row.split()[-2:] == own
    first = out.read_bytes()
    leadterms(*call, "--length", 12, "--vocab", 20, "--json", out)
    assert out.read_bytes() == first, "the same input gives the same bytes"


def test_an_attention_only_model_needs_no_other_library(tmp_path, text, monkeypatch):
    """Heads, cosines and a claim's verdict, from a folder in TransformerLens's form."""
    monkeypatch.setitem(sys.modules, "transformers", None)
    folder, out, tokenizer = tmp_path / "model", tmp_path / "out.jsonl", tmp_path / "words.json"
    folder.mkdir()
    save_file({name: value.float() for name, value in hand_set().items()}, folder / "model.safetensors")
    config = {"attn_only": True, "positional_embedding_type": "shortformer", "bos_token_id": 0}
    (folder / "config.json").write_text(json.dumps(config))
    shown = leadterms("pretrained", folder, "--json", out)
    assert re.search(r"1\.10 +0\.\d+ +1\.000 +1\.000", shown)
    assert "Left out: paper-pythia-alignment, pythia-drift: about a model with" in " ".join(shown.split())
    assert read_experiments(out)["heads"]["values_see_positions"] is False
    word_tokenizer(text).save(str(tokenizer))
    with pytest.raises(InputError, match="the model has 12 tokens; give the tokenizer"):
        leadterms("pretrained", folder, "--corpus", text, "--tokenizer", tokenizer, "--length", 8)
    with pytest.raises(InputError, match=r"needs transformers; run: pip install 'leadterms\[gpu,hub\]'"):
        leadterms("pretrained", "owner/model")


def config_folder(path, **config):
    path.mkdir()
    (path / "config.json").write_text(json.dumps(config))
    return path


def test_bad_input_is_told_in_a_sentence(tmp_path, text):
    lens = {"attn_only": True, "positional_embedding_type": "standard"}
    empty = tmp_path / "empty"
    empty.mkdir()
    junk = config_folder(tmp_path / "junk", **lens)
    (junk / "model.pth").write_bytes(b"no pickle")
    wrong = {
        "has no config.json": [empty],
        "is a file; give the folder": [text],
        "There is no folder": [tmp_path / "nowhere"],
        "has no revision 'step9': of a folder, revisions are its subfolders": [junk, "--revision", "step9"],
        "of type 'bert'": [config_folder(tmp_path / "bert", model_type="bert")],
        "has 0 files of weights": [config_folder(tmp_path / "bare", **lens)],
        "holds no weights by name": [junk],
        "must be standard or shortformer": [
            config_folder(tmp_path / "rotary", attn_only=True, positional_embedding_type="rotary")
        ],
        "describes a model with MLPs": [config_folder(tmp_path / "mlp", shortformer_pos=True)],
        "names the norm 'LN'": [config_folder(tmp_path / "norm", **lens, normalization_type="LN")],
        "create it or name another file": [junk, "--json", tmp_path / "no" / "out.jsonl"],
        "--vocab is 1": [junk, "--vocab", 1],
        "must be different files": [junk, "--corpus", text, "--json", text],
        "which the command reads": [junk, "--json", junk / "config.json"],
        "sees no device 'cuda:9'": [junk, "--device", "cuda:9"],
        "There is no tokenizer file": [junk, "--corpus", text, "--tokenizer", tmp_path / "no.json"],
    }
    before = sorted(tmp_path.rglob("*"))
    for told, arguments in wrong.items():
        with pytest.raises(InputError, match=re.escape(told)):
            leadterms("pretrained", *arguments)
    assert sorted(tmp_path.rglob("*")) == before
