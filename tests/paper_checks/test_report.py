"""The report's folder: its files, that they agree with the run, that it is written whole or not at all."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest
from test_report_sample import hostile_run, result, run_of, sample_run, scaling

from paper_checks.report import check_report, notebook, write, write_report
from properties.results import Run, read_run, write_run
from reference.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
PLAIN = run_of(result("model.loss"))
ALLOWED_IMPORTS = {"collections", "html", "itertools", "pathlib", "matplotlib", "numpy", "properties"}


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports") / "new" / "my report é"
    return folder, write_report(sample_run(), folder)


@pytest.fixture
def without_notebook(monkeypatch):
    """Leave out the one part that takes seconds."""
    monkeypatch.setattr(write, "write_notebook", lambda run, folder: None)


def test_the_folder_holds_what_was_promised_and_nothing_else(report):
    folder, written = report
    assert {str(path.relative_to(folder)) for path in written} == {
        "results.jsonl",
        "report.ipynb",
        "index.html",
        *(
            f"figures/{stem}.{kind}"
            for stem in ("scaling-reference", "scaling-gpu", "baselines-uniform-head-profile-diagonal")
            for kind in ("svg", "png")
        ),
    }
    assert set(contents(folder)) == {path.relative_to(folder) for path in written}
    assert list(folder.parent.iterdir()) == [folder]
    assert read_run(folder / "results.jsonl") == sample_run()
    assert (folder / "index.html").stat().st_size < 1_000_000


def test_the_same_results_give_the_same_bytes(report, tmp_path):
    folder, _ = report
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONHASHSEED": "7"}
    code = (
        "from pathlib import Path; from properties.results import read_run; import sys\n"
        "from paper_checks.report import write_report\n"
        "write_report(read_run(Path(sys.argv[1]) / 'results.jsonl'), Path('again'))"
    )
    call = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
    assert contents(tmp_path / "again") == contents(folder)


def test_the_notebook_is_valid_executed_and_shows_the_counts(report):
    folder, _ = report
    read = nbformat.read(folder / "report.ipynb", as_version=4)
    nbformat.validate(read)
    code = [cell for cell in read.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = {cell.id: str(cell.outputs) for cell in code}
    assert "Not all is well." in outputs["verdict"]
    assert re.search(r"passed +14\\n", outputs["verdict"])
    assert re.search(r"proved +1 +1 +1\\n", outputs["evidence"])
    for part in ("slip      multiplied by -2", "tokens    [[0, 1, 1], [1, 0, 0]]", "no axis 3"):
        assert part in outputs["failures"]
    assert outputs["scaling"].count("image/png") == 2
    assert "needs torch" in outputs["left-out"]
    assert "needs a model" in outputs["left-out"]
    assert "stderr" not in "".join(outputs.values())


def test_the_notebook_imports_little_and_knows_no_place_or_time(report):
    folder, _ = report
    read = nbformat.read(folder / "report.ipynb", as_version=4)
    source = "\n".join(cell.source for cell in read.cells if cell.cell_type == "code")
    imported = {name.split(".")[0] for name in re.findall(r"^\s*(?:import|from) (\S+)", source, re.MULTILINE)}
    assert imported <= ALLOWED_IMPORTS
    text = (folder / "report.ipynb").read_text(encoding="utf-8")
    assert str(folder) not in text
    assert str(ROOT) not in text
    assert "iopub" not in text


@pytest.mark.usefixtures("without_notebook")
def test_a_run_without_figures_has_no_cells_and_no_folder_for_them(tmp_path):
    write_report(PLAIN, tmp_path / "r")
    assert not {cell.id for cell in notebook.cells(PLAIN)} & {"scaling", "scaling-heading", "baselines"}
    assert set(contents(tmp_path / "r")) == {Path("results.jsonl"), Path("index.html")}


def test_hostile_words_leave_the_notebook_whole(tmp_path):
    write_run(tmp_path / "results.jsonl", hostile_run())
    notebook.write_notebook(hostile_run(), tmp_path)
    shown = [
        str(output["data"]["text/html"])
        for cell in nbformat.read(tmp_path / "report.ipynb", as_version=4).cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert len(shown) == 8
    assert not any("<img" in html or "<script" in html for html in shown)


@pytest.mark.parametrize("error", [RuntimeError("broke"), KeyboardInterrupt()])
def test_a_failure_or_an_interruption_leaves_things_as_they_were(tmp_path, monkeypatch, error):
    def fail(run, folder):
        raise error

    old = tmp_path / "old"
    old.mkdir()
    write_run(old / "results.jsonl", PLAIN)
    (old / "index.html").write_text("an older page")
    before = contents(tmp_path)
    monkeypatch.setattr(write, "write_notebook", fail)
    for out in (old, tmp_path / "new" / "er"):
        with pytest.raises(type(error)):
            write_report(PLAIN, out)
    assert contents(tmp_path) == before
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.usefixtures("without_notebook")
def test_a_new_report_replaces_an_older_one_and_nothing_else(tmp_path):
    write_report(run_of(scaling("V", 3, "gpu")), tmp_path)
    assert (tmp_path / "figures" / "scaling-gpu.svg").exists()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "figures" / "mine.png").write_bytes(b"mine")
    write_report(PLAIN, tmp_path)
    kept = {Path("notes.txt"), Path("figures/mine.png")}
    assert set(contents(tmp_path)) == {Path("results.jsonl"), Path("index.html")} | kept
    assert read_run(tmp_path / "results.jsonl") == PLAIN


@pytest.mark.usefixtures("without_notebook")
def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "index.html").mkdir(parents=True)
    for out, told in (
        (tmp_path / "file", "file is a file"),
        (tmp_path / "file" / "below" / "it", "file, which is a file"),
        (tmp_path / "taken", "index.html is a folder"),
    ):
        with pytest.raises(InputError, match=told):
            write_report(PLAIN, out)
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="is a file"):
            check_report(out)

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(InputError, match="Permission denied; name another folder"):
        check_report(tmp_path / "r")
    monkeypatch.undo()
    monkeypatch.setattr(write, "render", lambda *args: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(InputError, match="No space left; name another folder"):
        write_report(PLAIN, tmp_path / "r")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]


def test_a_missing_package_is_told_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "find_spec", lambda name: None if name == "nbclient" else object())
    for call in (lambda: write_report(sample_run(), tmp_path / "r"), lambda: check_report(tmp_path / "r")):
        with pytest.raises(InputError, match=r"nbclient: pip install 'leadterms\[report\]'"):
            call()
    assert not list(tmp_path.iterdir())


def test_a_kernel_that_dies_is_told_in_a_sentence(tmp_path, monkeypatch):
    deadly = notebook.Cell("deadly", "code", "import os\nos._exit(1)")
    monkeypatch.setattr(notebook, "CELLS", (deadly,))
    with pytest.raises(InputError, match="notebook could not be executed"):
        write_report(PLAIN, tmp_path / "r")
    assert not list(tmp_path.iterdir())


def test_a_kernel_that_cannot_start_says_why_and_prints_nothing(tmp_path, monkeypatch, capfd):
    environment = notebook._environment
    monkeypatch.setattr(
        notebook, "_environment", lambda scratch: {**environment(scratch), "PYTHONHOME": str(scratch)}
    )
    with pytest.raises(InputError, match=r"notebook could not be executed here .*encodings"):
        write_report(PLAIN, tmp_path / "r")
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())


def test_importing_the_report_is_cheap():
    code = (
        "import sys, paper_checks.report\n"
        "print({'numpy', 'matplotlib', 'nbformat', 'nbclient', 'jinja2', 'asyncio'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"


def test_an_empty_run_and_a_bare_header_still_make_a_page(tmp_path, without_notebook):
    write_report(Run(header={}, results=(), footer={"results": 0}), tmp_path / "r")
    assert "Nothing was checked" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")


def test_no_thread_or_kernel_is_left_running(report):
    assert not [thread for thread in threading.enumerate() if "ThreadPool" in thread.name]
