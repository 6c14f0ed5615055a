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
# What the recursion gives after 0 to 4 steps: s, C(s,2), and the sum over r < s of r C(r,2) for both others.
AMOUNTS = {"W_O": [0, 1, 2, 3, 4], "V": [0, 0, 1, 3, 6], "W": [0, 0, 0, 2, 11], "P": [0, 0, 0, 2, 11]}


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
    weighted = [(x, random.randrange(2**62)) for x in rows]
    right = directions(weighted, V, T)
    history = [{g: [ZERO] * len(right[g]) for g in ORDER}]
    for _ in range(4):
        history.append(step(history[-1], weighted, V, T))
    for (group, order), one in zip(ORDER.items(), certificate["identities"], strict=True):
        (named,), (c,) = one["directions"], one["coefficients"]
        form = [group, order, list(range(order)), 1, list(range(order + 1))]
        if [one[f] for f in ("group", "order", "vanishing_orders", "layers", "steps_compared")] != form:
            yield f"{group}: its order, layers or steps are others"
        if digest(values, group, order, len(rows)) != (named["terms"], named["sha256"]):
            yield f"{group}: the polynomials of {named['name']} are not the recorded ones"
        for s, at in enumerate(history):
            amount = sum(F(text) * s**k for k, text in enumerate(c))
            if len(c) > order + 1 or amount != AMOUNTS[group][s]:
                yield f"{group}: the amount after {s} steps is not that of the recursion"
            for entry, series in enumerate(at[group]):
                if series[: order + 1] != [0] * order + [amount * right[group][entry]]:
                    yield f"{group}: entry {entry} after {s} steps is not as claimed"


if __name__ == "__main__":
    wrong = list(problems(json.loads(Path(sys.argv[1]).read_text())))
    print("\n".join(wrong) or "the certificate holds")
    sys.exit(bool(wrong))
