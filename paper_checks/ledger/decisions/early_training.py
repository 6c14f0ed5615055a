"""Orders and coefficients of the first steps, as the post on the paper states them."""

from __future__ import annotations

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, compared
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from theory.laws import ablation
from theory.orders import leading_orders
from theory.step_coefficients import step_coefficients


@decides("ablation-order-of-loss")
def ablation_order_of_loss(claim: Claim, setting: Setting) -> Finding:
    """Take the orders of the ablation law, which the named check holds exactly."""
    return ablation_orders(claim)


def ablation_orders(claim: Claim) -> Finding:
    """Compare stated orders in eta with those at which removals act on the loss."""
    own = leading_orders(1)
    shares = {"W_O": own["W_O"], "V": own["W_O"] + own["V"], "W": own["W_O"] + own["V"] + own["W"]}
    return compared(
        claim,
        {group: ablation.ORDER[group] for group in claim.numbers},
        evidence="exact",
        derivation="A weight acts on the loss through those after it: "
        + ", ".join(f"{group} at order {order}" for group, order in shares.items())
        + ".",
    )


@decides("qk-coefficient-numeric")
def qk_coefficient_numeric(claim: Claim, setting: Setting) -> Finding:
    """Run the recursion of the leading terms."""
    steps = [int(s) for s in claim.given["steps"]]
    return compared(
        claim,
        {"coefficients": [step_coefficients(s)["W"] for s in steps]},
        evidence="proved",
        derivation="sum over r < s of r C(r, 2) = 3 C(s, 4) + 2 C(s, 3).",
    )
