"""A second device for machines without one: its tensors keep their numbers on the CPU, and say they do not.

What a GPU refuses is refused here: an operation on tensors of two devices, and NumPy's view of a tensor. So
are indices on the CPU, which a GPU takes and has to fetch each time. All else is done by the CPU, so that
results are the CPU's to the bit. How fast a GPU is, what memory it has, and sums whose order it leaves to
chance do not show.
"""

from contextlib import contextmanager

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("pretended")
NAME = "pretended:0"
DEVICE = torch.device(NAME)
# What may take tensors of two devices.
MOVES = {torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default}


class OnDevice(torch.Tensor):
    """A tensor of the second device.

    Attributes:
        numbers: the same, on the CPU.
    """

    @staticmethod
    def __new__(cls, numbers):
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            numbers.size(),
            strides=numbers.stride(),
            storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype,
            device=DEVICE,
        )
        made.numbers = numbers
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return done(func, args, kwargs or {})


def done(func, args, kwargs):
    """Do an operation on the CPU; its results are on the second device if its tensors are or it says so."""
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    there = [one for one in tensors if isinstance(one, OnDevice)]
    asked = kwargs.get("device")
    stays = bool(there) if asked is None else torch.device(asked).type == DEVICE.type
    if there and func not in MOVES:
        # A GPU takes a single number of the CPU's.
        assert all(isinstance(one, OnDevice) or one.dim() == 0 for one in tensors), f"{func} of two devices"
    known = {id(one.numbers): one for one in there}
    args, kwargs = tree_map_only(OnDevice, lambda one: one.numbers, (args, kwargs))
    found = func(*args, **kwargs | ({} if asked is None else {"device": "cpu"}))
    return tree_map_only(torch.Tensor, lambda one: known.get(id(one), OnDevice(one)) if stays else one, found)


class _Making(TorchDispatchMode):
    """Tensors that are made on the device, and moved there."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return done(func, args, kwargs or {})


class _Listing(TorchFunctionMode):
    """torch makes no list of a tensor of a class that it does not know."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.tolist and isinstance(args[0], OnDevice):
            return args[0].numbers.tolist()
        return func(*args, **kwargs or {})


def _made(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    return OnDevice(torch.empty_strided(size, stride, dtype=dtype))


def _copied(source, into, non_blocking=False):
    into.numbers.copy_(source)
    return into


# The indices of `tensor[[0, 1]]`, and what `new_tensor` makes, come here without passing the modes.
_BENEATH = torch.library.Library("aten", "IMPL")
_BENEATH.impl("empty_strided", _made, "PrivateUse1")
_BENEATH.impl("_copy_from", _copied, "PrivateUse1")


@contextmanager
def pretended_gpu():
    """Let torch compute on the device called NAME."""
    with _Listing(), _Making():
        yield
