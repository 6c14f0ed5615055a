"""Train the torch module of this folder on a text, save it, and ask whether theory predicts its weights.

python checkpoint.py stories.txt weights.safetensors
leadterms verify weights:weights.safetensors --names torch_module.toml \\
    --corpus stories.txt --length 8 --rate 0.1 --steps 10
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch_module import Model

from reference.errors import InputError
from reference.sequences import read_corpus

LENGTH, RATE, STEPS, LAYERS = 8, 0.1, 10, 2


def main(text, weights):
    # The reader of `leadterms verify`, with its defaults: the same words get the same numbers.
    try:
        corpus = read_corpus(Path(text), length=LENGTH)
    except InputError as error:
        sys.exit(f"checkpoint.py: {error}")
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
