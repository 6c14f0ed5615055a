"""Models of the transformers library as a `TokenModel`: weights by family, streams by hooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from gpu.pretrained.families import centres, epsilon, family_of, folded
from gpu.pretrained.token_model import Heads, Sizes, Streams, Tokens

# Sequences of one token that run through the model at once.
TOKENS_AT_ONCE = 256


class HuggingFaceModel:
    """A causal language model of the library, with attention that returns its maps ("eager").

    Args:
        model: the module.
        name: for messages.

    Raises:
        InputError: its type is not known here.
    """

    def __init__(self, model: Any, name: str) -> None:
        self._model, self._name = model.eval(), name
        config = model.config
        self._family = family_of(config.model_type, name)
        self._blocks: list[Any] = list(attrgetter(self._family.layers)(model))
        self._norms = [getattr(block, self._family.norm) for block in self._blocks]
        self._attentions = [getattr(block, self._family.attention) for block in self._blocks]
        self.sizes = Sizes(
            kind=config.model_type,
            layers=len(self._blocks),
            heads=config.num_attention_heads,
            width=config.hidden_size,
            vocab_size=config.vocab_size,
            longest=config.max_position_embeddings,
            begin=config.bos_token_id,
        )

    @torch.no_grad()
    def streams(self, ids: Int64[Tensor, " n"]) -> Streams:
        """Return the stream of each token by itself, a sequence of one token."""
        L = self.sizes.layers
        before: list[list[Tensor]] = [[] for _ in range(L + 1)]
        attention: list[list[Tensor]] = [[] for _ in range(L)]
        with self._watched(before, attention):
            for some in torch.split(ids.to(self._model.device), TOKENS_AT_ONCE):
                self._model(input_ids=some[:, None], use_cache=False)
        return Streams([torch.cat(one)[:, 0] for one in before], [torch.cat(one)[:, 0] for one in attention])

    def heads(self, layer: int) -> Heads:
        """Return the heads of a layer."""
        with torch.no_grad():
            found = self._family.projections(self._attentions[layer], self.sizes.heads)
            return folded(found, self._norms[layer])

    def scales(self, stream: Float[Tensor, "n d"], layer: int) -> Float[Tensor, " n"]:
        """Return 1/sigma, by which the norm before a layer's heads divides each row."""
        norm = self._norms[layer]
        centred = stream - stream.mean(dim=1, keepdim=True) if centres(norm) else stream
        return torch.rsqrt(centred.square().mean(dim=1) + epsilon(norm))

    @torch.no_grad()
    def attention(self, tokens: Tokens) -> list[Float[Tensor, "N H T T"]]:
        """Return the attention maps, layer by layer."""
        answer = self._model(input_ids=tokens.to(self._model.device), output_attentions=True, use_cache=False)
        return list(answer.attentions)

    @torch.no_grad()
    def first_values(self, tokens: Tokens) -> Float[Tensor, "N T d"]:
        """Return what the value matrices of the first layer are applied to."""
        seen: list[Tensor] = []
        hook = self._attentions[0].register_forward_pre_hook(
            lambda module, args, kwargs: seen.append(_hidden(args, kwargs)), with_kwargs=True
        )
        try:
            self._model(input_ids=tokens.to(self._model.device), use_cache=False)
        finally:
            hook.remove()
        return seen[0]

    def embeddings(self) -> tuple[Float[Tensor, "V d"], Float[Tensor, "P d"] | None]:
        """Return the embeddings of tokens, and of positions if they are learned."""
        tokens, positions = self._family.embeddings(self._model)
        return tokens.detach(), None if positions is None else positions.detach()

    def untrained(self, seed: int) -> HuggingFaceModel:
        """Return the architecture with the random weights that the library starts it with."""
        device, dtype = self._model.device, self._model.dtype
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = type(self._model)(self._model.config)
        return HuggingFaceModel(model.to(device, dtype), f"{self._name}, untrained")

    @contextmanager
    def _watched(self, before: list[list[Tensor]], attention: list[list[Tensor]]) -> Iterator[None]:
        """Append what each layer finds, what its attention adds, and what the last layer leaves."""
        hooks = []
        for layer, (block, attention_part) in enumerate(zip(self._blocks, self._attentions, strict=True)):

            def found(module: Any, args: Any, kwargs: Any, layer: int = layer) -> None:
                before[layer].append(_hidden(args, kwargs))

            def added(module: Any, args: Any, out: Any, layer: int = layer) -> None:
                attention[layer].append(out[0])

            hooks.append(block.register_forward_pre_hook(found, with_kwargs=True))
            hooks.append(attention_part.register_forward_hook(added))

        def left(module: Any, args: Any, out: Any) -> None:
            before[-1].append(out[0] if isinstance(out, tuple) else out)

        hooks.append(self._blocks[-1].register_forward_hook(left))
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


def _hidden(args: Any, kwargs: Any) -> Tensor:
    """Return the stream that a layer is called with."""
    hidden: Tensor = args[0] if args else kwargs["hidden_states"]
    return hidden
