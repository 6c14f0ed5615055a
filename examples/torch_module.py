"""A torch module, held to the laws by autograd: its loss, gradients and descent follow from its logits.

leadterms verify torch:torch_module:Model:torch_module.toml    (in the folder examples)
"""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, vocab_size, length):
        super().__init__()
        self.value = nn.Parameter(torch.zeros(vocab_size, vocab_size))
        self.query_key = nn.Parameter(torch.zeros(vocab_size, vocab_size))
        self.by_distance = nn.Parameter(torch.zeros(length))

    def forward(self, h):
        T = h.shape[1]
        distance = torch.arange(T)[:, None] - torch.arange(T)
        scores = h @ self.query_key @ h.mT + self.by_distance[distance.clamp(min=0)]
        attention = scores.masked_fill(distance < 0, -torch.inf).softmax(dim=-1)
        return h + attention @ h @ self.value


class Model(nn.Module):
    def __init__(self, vocab_size, length, layers):
        super().__init__()
        self.layers = nn.ModuleList(Layer(vocab_size, length) for _ in range(layers))
        self.unembed = nn.Linear(vocab_size, vocab_size, bias=False)  # its weight is W_O transposed

    def forward(self, tokens):
        h = nn.functional.one_hot(tokens, self.unembed.in_features).to(self.unembed.weight.dtype)
        for layer in self.layers:
            h = layer(h)
        return self.unembed(h)
