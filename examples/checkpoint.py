"""Train the torch module of this folder on a text, save it, and ask whether theory predicts its weights.

python checkpoint.py stories.txt weights.safetensors
leadterms verify weights:weights.safetensors --names torch_module.toml \\
    --corpus stories.txt --rate 0.1 --steps 10
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch_module import Model

from reference.sequences import read_corpus

RATE, STEPS, LAYERS = 0.1, 10, 2


def main(text, weights):
    # The reader of `leadterms verify`, with its defaults: the same words get the same numbers.
    corpus = read_corpus(Path(text), vocab_size=None, length=40, tokenizer_name="words", layout="document")
    tokens = torch.tensor(corpus.tokens)
    model = Model(corpus.vocab_size, corpus.length, LAYERS).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    for _ in range(STEPS):
        optimizer.zero_grad()
        logits = model(tokens[:, :-1])
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
        optimizer.step()
    save_file(model.state_dict(), weights)


if __name__ == "__main__":
    main(*sys.argv[1:])
