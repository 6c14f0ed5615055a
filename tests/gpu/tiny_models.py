"""Small models of the transformers library's types, in float64, with random weights everywhere."""

import pytest
import torch

from gpu.pretrained.hugging_face import HuggingFaceModel

# Importing the library takes seconds; where it is missing, nothing here can be tested.
transformers = pytest.importorskip("transformers", reason="transformers is not installed (the extra hub)")

WIDTH, VOCABULARY, LONGEST = 16, 20, 24
SIZES = {"vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": 0, "attn_implementation": "eager"}


def gpt_neox(layers=2, heads=2):
    return transformers.GPTNeoXForCausalLM(
        transformers.GPTNeoXConfig(
            hidden_size=WIDTH,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=32,
            max_position_embeddings=LONGEST,
            **SIZES,
        )
    )


def llama(layers=2, heads=4):
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            hidden_size=WIDTH,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=2,
            head_dim=WIDTH,
            intermediate_size=32,
            max_position_embeddings=LONGEST,
            **SIZES,
        )
    )


def gpt2(layers=2, heads=2):
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(n_embd=WIDTH, n_layer=layers, n_head=heads, n_positions=LONGEST, **SIZES)
    )


BUILDERS = {"gpt_neox": gpt_neox, "llama": llama, "gpt2": gpt2}


def randomised(model, seed=0):
    """Return the model in float64 with every parameter drawn anew, biases and norms too."""
    random = torch.Generator().manual_seed(seed)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=random, dtype=torch.float64)
            parameter.copy_((1 if parameter.ndim == 1 else 0) + 0.3 * noise)
    return model


def silent(model):
    """Return the model with layers that add nothing to the stream, in float64."""
    model = model.double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if any(part in name for part in ("dense", "o_proj", "down_proj", "c_proj")):
                parameter.zero_()
    return model


def wrapped(model):
    return HuggingFaceModel(model, "a tiny model")
