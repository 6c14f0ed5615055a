"""What families of checks, kinds of evidence and implementations are, in words for someone new to them.

A family or an implementation that is not named here shows under its own name.
"""

from __future__ import annotations

# By family: its title, and one sentence.
FAMILIES = {
    "theory": ("The mathematics alone", "Derivations and identities that need no implementation."),
    "proof": (
        "Proofs",
        "Identities for every corpus of a size and every number of steps, and what they rest on.",
    ),
    "series": ("Exact power series", "Training expanded in the learning rate with rational coefficients."),
    "statistics": ("Corpus statistics", "What the theory predicts weights from, by several routes."),
    "propagation": ("Propagation", "Context evidence carried through interchangeable words, with its sign."),
    "first_step": ("The first steps", "What one or two steps from zero give is known exactly."),
    "descent": ("Gradient descent", "Every parameter after several steps, derived a second time."),
    "scaling": ("Leading terms", "What they leave out shrinks with the rate as the theorem states."),
    "layers": ("Layers", "What the layers of a trained model share, and where they part."),
    "next_order": ("The next order", "What comes after the leading terms, and what it predicts of a run."),
    "predictions": (
        "Predictions",
        "What a run will show, from the statistics of its corpus alone: the laws evaluated at any size.",
    ),
    "spectrum": (
        "Every direction",
        "That weights follow their leading terms beyond the first direction, to which a cosine is blind.",
    ),
    "bounds": (
        "The theorem's bounds",
        "That they hold in their window and at its edge, and what they cannot tell apart.",
    ),
    "conserved": ("Conservation", "Sums that no step of descent from zero changes."),
    "model": ("The model", "Attention, logits and loss of the attention-only transformer."),
    "explanation": ("One layer, token by token", "What each token read adds to each logit."),
    "gradients": ("Gradients", "The backward pass, against the formulas and against slopes of the loss."),
    "zero": ("At initialisation", "Everything starts at zero, where attention and predictions are uniform."),
    "softmax": ("Softmax invariance", "A constant added to a row of scores changes nothing."),
    "uniform": ("Uniform attention", "What attention metrics score before anything is learned."),
    "heads": ("Attention metrics", "Metrics on attention maps whose scores are known by counting."),
    "random": ("Untrained heads", "What heads score before they learn, and how far chance goes."),
    "induction": ("Induction", "Looking up what followed the current token when it was seen before."),
    "ablation": ("Removing heads", "What is left of a layer of attention without some of its heads."),
    "probe": ("Probes", "How activations are split for a classifier that reads them."),
    "projection": ("Interventions", "Removing a matrix's projection on a direction."),
    "behaviour": ("Behaviour", "What a removed leading term does to the loss, to its last digits."),
    "composition": ("Composition", "How much one head's output feeds another."),
    "mutants": ("Wrong implementations", "The checks themselves: one slip each, which a check must catch."),
}

# By evidence: what it means that a law is held by it.
EVIDENCE = {
    "proved": (
        "For every corpus of a size, or every number of steps or positions: by a certificate that a machine "
        "checked by another route, by an identity computed with symbols, or by a derivation on paper that "
        "ends in exact arithmetic and that no machine checks."
    ),
    "exact": (
        "By rational arithmetic: the right answer is known as a fraction, for each case tried, of which the "
        "number is told. Beyond these cases a law rests on its derivation."
    ),
    "property": "Tried on generated cases in floating point, each held to a bound on its rounding error.",
    "measured": "Read off training runs, with their noise.",
    "quoted": "Taken as it is printed, in a source or a work that is named; it could not be checked here.",
}

# The implementations that come along, by the name of the target.
COME_ALONG = {
    "reference": "plain NumPy in float64, written to be read",
    "gpu": "torch in float64, for any size",
    "gpu32": "the same in float32",
    "compiled": "compiled loops that count the statistics",
}
