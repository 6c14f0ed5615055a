"""What `leadterms train` says while it works, watched or not."""

import gpu.display
from gpu import train as train_command
from gpu.display import clock, display

USUAL = ["--layers", "2", "--rate", "0.5", "--batch", "4", "--dtype", "float64", "--save-every", "1"]


def test_progress_has_a_line_now_and_then_where_nobody_watches(monkeypatch, capsys):
    monkeypatch.setattr(gpu.display, "SECONDS_BETWEEN_LINES", 0.0)
    with display(1200) as show:
        show(30, "loss 2.5, 1:02 left")
    with display(1200, shown=False) as show:
        show(30, "not told")
    assert capsys.readouterr().err == "30 of 1,200: loss 2.5, 1:02 left\n"
    assert [clock(seconds) for seconds in (0.4, 61.6, 3723.0)] == ["0:00", "1:02", "1:02:03"]


def test_progress_of_training_has_a_rate_and_the_time_left(call, monkeypatch):
    monkeypatch.setattr(gpu.display, "SECONDS_BETWEEN_LINES", 0.0)
    status, _, told = call(train_command, "t.npy", *USUAL, "--steps", 2, "--out", "run")
    assert status == 0
    lines = [line for line in told.splitlines() if "loss" in line]
    assert [line.split(":")[0] for line in lines] == ["1 of 2", "2 of 2"]
    assert all("sequences/s, 0:0" in line and line.endswith("left") for line in lines)
