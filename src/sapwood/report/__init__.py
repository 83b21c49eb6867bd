"""Reports: a page about one run, and a page that compares many.

>>> import sapwood
>>> from sapwood.datasets import rand_cbt
>>> from sapwood.report import report_html
>>> stream = rand_cbt(n_leaves=4, per_leaf=2000, seed=2)
>>> result = sapwood.evaluate(stream, sapwood.ConfidenceTreeClassifier())
>>> report_html(result).startswith("<!doctype html>")
True

A page holds all that it shows: no script, no font and no picture comes from elsewhere.
"""

from .charts import compare_chart
from .comparison import comparison_html, write_comparison
from .run import report_html, write_report

__all__ = ["compare_chart", "comparison_html", "report_html", "write_comparison", "write_report"]
