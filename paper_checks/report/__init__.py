"""The report: a run's results as JSON lines, an executed notebook, a page and figures. Computes nothing."""

from paper_checks.report.write import check_report, write_report

__all__ = ["check_report", "write_report"]
