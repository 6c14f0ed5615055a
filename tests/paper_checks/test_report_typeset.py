"""Mathematics in sentences of the report: what is typeset, and that everything else stays as it was."""

import re
from html.parser import HTMLParser

import pytest

from paper_checks.ledger.book import claims
from paper_checks.report.typeset import typeset
from properties.catalogue import CHECKS


class Text(HTMLParser):
    """Reads the text of a piece of HTML, holding it to closed tags."""

    def __init__(self, html):
        super().__init__()
        self.text, self.open = "", []
        self.feed(str(html))
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(
    ("plain", "inside"),
    [
        ("W_O", "<msub><mi>W</mi><mrow><mi>O</mi></mrow></msub>"),
        ("A_ij", "<mrow><mi>i</mi><mi>j</mi></mrow></msub>"),
        ("x_(i+1)", "<mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>"),
        ("eta^2", "<msup><mi>η</mi><mrow><mn>2</mn></mrow></msup>"),
        ("Phi_bar^T", "<mi>&#x22a4;</mi></msup>"),
        ("Sigma_B", "<mi>Σ</mi>"),
        ("sqrt(T)", "<msqrt><mrow><mi>T</mi></mrow></msqrt>"),
        ("C(s, 2)", 'linethickness="0"'),
        ("3C(s,4)", 'linethickness="0"'),
        ("|B_bar|_F^2", "<msubsup>"),
        ("|B_bar|^2", "|</mo><mrow><mn>2</mn></mrow></msup>"),
        ("(Y - U))^T", '<msup><mo stretchy="false">)</mo>'),
        ("s eta T", "<mi>s</mi></mrow></math>\N{NO-BREAK SPACE}<math>"),
        ("(B_bar", '<span class="whole">(<math>'),
        ("eta |B_bar| eta", '</math> <span class="whole">|<math>'),
        ("1^T Sigma_B", "<msup><mn>1</mn>"),
        ("(I - 11^T/t)/t", "<mn>1</mn><msup><mn>1</mn>"),
    ],
)
def test_notation_becomes_a_formula(plain, inside):
    html = typeset(f"There {plain} is.")
    assert inside in html
    assert "<math>" in html
    assert Text(html).text.startswith("There ")
    assert Text(html).text.endswith(" is.")


@pytest.mark.parametrize(
    "plain",
    [
        "head_profile and eval_loss with n_layer, d_model and d_head stay.",
        "A head at layer_0 has 3 of 4; I saw B, T and x.",
        "a/b, f(x), 2^, _x, file_name.py",
        "beta and thetas and Sigmas are words, and a T, V or W alone is left.",
    ],
)
def test_words_and_code_stay_as_they_are(plain):
    assert typeset(plain) == plain


def test_a_word_of_one_letter_is_no_factor():
    assert typeset("So eta a step").endswith(" a step")
    assert typeset("removes W_O. A step").endswith(". A step")


def test_what_breaks_out_is_escaped():
    html = typeset('<script>x_<b>1</b></script> W_O <= x_(<i>) & "A_ij"')
    assert "<script" not in html
    assert "<b>" not in html
    assert "<i>" not in html
    assert "≤" in html
    assert Text(html).text.startswith("<script>x_<b>1</b></script> W")


def test_every_sentence_of_the_report_keeps_its_letters_and_digits():
    sentences = [check.statement for check in CHECKS]
    sentences += [part for claim in claims() for part in (claim.statement, claim.convention, claim.stated)]
    typed = 0
    for sentence in sentences:
        html = str(typeset(sentence))
        typed += "<math>" in html
        shown = Text(html).text
        digits = re.findall(r"\d+", sentence)
        assert "".join(re.findall(r"\d", shown)) == "".join(digits), sentence
        assert "_bar" not in shown, sentence
    assert typed > 100
