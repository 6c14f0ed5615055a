"""How long work still takes is told from its pace, and where it is piped only of long work."""

import pytest

from paper_checks.progress import TimeLeft, progress_bar


def test_the_time_left_is_that_at_the_pace_so_far():
    now = [0.0]
    left = TimeLeft(lambda: now[0])
    left.tell(0, 4)
    assert str(left) == ""  # nothing is done, so nothing is known
    now[0] = 600.0
    left.tell(1, 4)
    assert str(left) == "about 30 min left"
    now[0] = 1200.0  # a part that takes long: what was left runs down
    assert str(left) == "about 20 min left"
    now[0] = 2350.0
    assert str(left) == "less than a minute left"
    now[0] = 9000.0
    left.tell(2, 4)
    assert str(left) == "about 2.5 h left"
    left.tell(4, 4)
    assert str(left) == "less than a minute left"


@pytest.mark.parametrize(("shown", "lines", "told"), [(True, True, 2), (True, False, 0), (False, True, 0)])
def test_a_pipe_gets_a_line_a_part_of_long_work_and_else_nothing(capsys, shown, lines, told):
    with progress_bar(shown, lines=lines) as progress:
        progress("first", 0, 4)
        progress("second", 1, 4)
        progress("second", 1, 4)
    out, complaint = capsys.readouterr()
    assert (out, len(complaint.splitlines())) == ("", told)
    if told:
        first, second = complaint.splitlines()
        assert first.split(", ") == ["  0% done", "first"]
        assert second.split(", ") == [" 25% done", "less than a minute left", "second"]
