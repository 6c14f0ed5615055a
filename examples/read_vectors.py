"""Hold the functions of a module to the test vectors, with nothing but Python: a reader to copy.

python read_vectors.py ../vectors plain_python    (in the folder examples; any module with some methods)"""

import importlib
import json
import sys
from pathlib import Path

from vector_answers import numbers, split_fault, worst


def fault(function, case, dtype):  # what is wrong with the answer to one case, or None
    params = {name: numbers(value) for name, value in case["params"].items()}
    try:
        if case["outcome"] == "answer" and function.__name__ == "probe_split":
            return split_fault(function, params, case["expected"]["probe_split"])
        got = function(**params)
    except Exception as error:
        return None if case["outcome"] == "refuse" else f"raised {type(error).__name__}: {error}"
    if case["outcome"] == "refuse":
        return f"answered, and must refuse: {case['why']}"
    named = got if isinstance(got, dict) else {function.__name__: got}
    for name, expected in case["expected"].items():
        if name in named:  # a statistic that is not offered is no fault
            ratio = worst(named[name], numbers(expected["value"]), numbers(expected["bound"][dtype]))
            if not ratio <= 1:
                return f"{name} is off by {ratio:.3g} times its bound ({', '.join(case['flags'])})"
    return None if named.keys() & case["expected"].keys() else "has none of the answers"


def main(folder, module, dtype="float64"):
    implementation, faults, count = importlib.import_module(module), 0, 0
    for path in sorted(Path(folder).glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        function = getattr(implementation, document.get("method", ""), None)
        for case in document["cases"] if function else ():
            told = fault(function, case, dtype)
            count, faults = count + 1, faults + bool(told)
            if told:
                print(f"{case['id']}: {told}")
    print(f"{count - faults} of {count} vectors held")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
