"""Checks a certificate of the leading terms of one layer, written from docs/certificates.md: check.py FILE"""

import hashlib
import json
import random
import sys
from fractions import Fraction as F
from itertools import combinations_with_replacement as multisets
from itertools import product
from pathlib import Path

from descent import step
from digest import digest
from directions import directions
from series import ZERO

ORDER = {"W_O": 1, "V": 2, "W": 4, "P": 4}


def problems(certificate):
    sizes, kind = certificate["sizes"], certificate["kind"]
    assert (kind, sizes["layers"]) == ("leading", 1), "only the leading terms of one layer are checked here"
    V, T = sizes["vocab_size"], sizes["length"]
    rows = list(product(range(V), repeat=T + 1))
    body = {key: value for key, value in certificate.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    if hashlib.sha256(text.encode()).hexdigest() != certificate["sha256"]:
        yield "the seal is broken"
    corpora = [m for d in range(5) for m in multisets(range(len(rows)), d)]
    values = {m: directions([(rows[i], 1) for i in m], V, T) for m in corpora}
    # A false identity of degree 4 holds at random weights once in 2^60 times at most.
    weighted = [(x, random.randrange(1, 2**62)) for x in rows]
    right = directions(weighted, V, T)
    history = [{g: [ZERO] * len(right[g]) for g in ORDER}]
    for _ in range(4):
        history.append(step(history[-1], weighted, V, T))
    for one in certificate["identities"]:
        group, (named,), (c,) = one["group"], one["directions"], one["coefficients"]
        if digest(values, group, ORDER[group], len(rows)) != named["sha256"]:
            yield f"{group}: the polynomials of {named['name']} are not the recorded ones"
        for s, at in enumerate(history):
            amount = sum(F(text) * s**k for k, text in enumerate(c))
            for entry, series in enumerate(at[group]):
                if series[: ORDER[group] + 1] != [0] * ORDER[group] + [amount * right[group][entry]]:
                    yield f"{group}: entry {entry} after {s} steps is not as claimed"


if __name__ == "__main__":
    wrong = list(problems(json.loads(Path(sys.argv[1]).read_text())))
    print("\n".join(wrong) or "the certificate holds")
    sys.exit(bool(wrong))
