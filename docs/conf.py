"""Sphinx settings: the pages are MyST Markdown, the reference comes from docstrings."""

import sapwood

project = "Sapwood"
author = "The Sapwood authors"
release = sapwood.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Sapwood {release}"
