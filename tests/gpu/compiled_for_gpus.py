"""Compiles the fused kernels to machine code for GPUs, which needs none.

Prints as JSON, for each kernel, generation of GPUs and length of prefixes, the instructions that touch memory
beyond the program's own, in the code that the machine's is made from (PTX), and those that round a product
and a sum as one.
"""

import json
import re
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from gpu import fused, fused_kernels

TYPES = {
    "mark_repeats": "*i32 *i32 *i32 i32",
    "add_shares": "*i32 *i32 *i32 *fp64 *fp64 i32 i32 i32 i32 i32",
    "add_evidence": "*i32 *i32 *i32 *fp64 *fp64 *fp64 *fp64 i32 i32 i32 i32 i32",
}


def compiled(name, chip, length):
    kernel = getattr(fused_kernels, name)
    options, types = fused.how(length), [*TYPES[name].split(), "constexpr"]
    known = {(len(types) - 1,): options.pop("LANES")}
    if length == 1:
        # Triton compiles numbers that are 1 in.
        ones = [place for place, name in enumerate(kernel.arg_names) if name in {"N", "T", "V", "stop"}]
        known |= {(place,): 1 for place in ones}
        types = ["constexpr" if place in ones else one for place, one in enumerate(types)]
    source = ASTSource(kernel, dict(zip(kernel.arg_names, types, strict=True)), constexprs=known)
    made = triton.compile(source, target=GPUTarget("cuda", chip, 32), options=options).asm
    told = r"^\s*(?:@%?\w+ )?((?:ld|st|atom|red)\.\S*global\S*|fma\.\S*f64)"
    touched = re.findall(told, made["ptx"], re.MULTILINE)
    assert made["cubin"]
    return sorted(set(touched))


if __name__ == "__main__":
    chips, lengths = ([int(number) for number in given.split(",")] for given in sys.argv[1:])
    made = {
        f"{name} {chip} {length}": compiled(name, chip, length)
        for name in TYPES
        for chip in chips
        for length in lengths
    }
    print(json.dumps(made))
