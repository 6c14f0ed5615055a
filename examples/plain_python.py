"""An implementation in plain Python, spoken to over JSON lines. It needs nothing but Python itself.

leadterms verify "cmd:python3 examples/plain_python.py"
"""

import json
import math
import sys


def statistics(tokens, vocab_size):
    V, N, T = vocab_size, len(tokens), len(tokens[0]) - 1
    if T < 1 or any(len(row) != T + 1 or not all(0 <= word < V for word in row) for row in tokens):
        raise ValueError("give sequences of one length, two or more, of words below vocab_size")
    B_bar = [[0.0] * V for _ in range(V)]
    Phi_bar = [[0.0] * V for _ in range(V)]
    for row in tokens:
        for t in range(T):
            for j in range(V):
                residual = ((row[t + 1] == j) - 1 / V) / (N * T)
                B_bar[row[t]][j] += residual
                for k in range(t + 1):
                    Phi_bar[j][row[k]] += residual / (t + 1)
    Sigma_B = [[sum(B_bar[i][a] * B_bar[i][b] for i in range(V)) for b in range(V)] for a in range(V)]
    return {"B_bar": B_bar, "Phi_bar": Phi_bar, "Sigma_B": Sigma_B}


def remove_projection(weight, direction):
    if [len(row) for row in weight] != [len(row) for row in direction]:
        raise ValueError("give a direction of the weight's shape")
    w, d = [x for row in weight for x in row], [x for row in direction for x in row]
    norm = math.fsum(x * x for x in d)
    along = math.fsum(x * y for x, y in zip(w, d)) / norm if norm else 0.0
    return [[x - along * y for x, y in zip(*rows)] for rows in zip(weight, direction)]


def induction_score(attention, period):
    if not 1 <= period < len(attention) == len(attention[0]):
        raise ValueError("give a square map and a period below its size")
    hits = [attention[t][t - period + 1] for t in range(period, len(attention))]
    return math.fsum(hits) / len(hits)


METHODS = {f.__name__: f for f in (statistics, remove_projection, induction_score)}


for line in sys.stdin if __name__ == "__main__" else ():
    message = json.loads(line)
    if message["method"] == "stop":
        break
    try:
        if message["method"] == "describe":
            result = {"name": "plain python", "dtype": "float64", "methods": list(METHODS)}
        else:
            result = METHODS[message["method"]](**message["params"])
        answer = {"id": message["id"], "result": result}
    except Exception as error:
        answer = {"id": message["id"], "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
