# SPDX-License-Identifier: Apache-2.0
"""Sphinx builds the site from the pages that scripts/docs stages: `make docs`."""

import os

from pygments.lexer import RegexLexer, bygroups, using
from pygments.lexers.shell import BashLexer
from pygments.lexers.special import TextLexer
from pygments.token import Generic, Name

project = "Tessera"
author = "The Tessera authors"
copyright = "2026, The Tessera authors"
release = os.environ.get("TESSERA_VERSION", "")

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]

source_suffix = {".md": "markdown"}
exclude_patterns = []
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"Tessera {release}"
html_static_path = ["_static"]
html_css_files = ["tessera.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fa8", "color-brand-content": "#1f5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7fb5f0", "color-brand-content": "#7fb5f0"},
}
# The prompt, and the output below it, are not copied.
copybutton_prompt_text = r"^\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
pygments_style = "friendly"
pygments_dark_style = "github-dark"

# Parts of programs and answers, such as JSON with '...', need not follow the grammar of their language.
# Types in Python's signatures have names that several modules share.
suppress_warnings = ["misc.highlighting_failure", "ref.python"]


class SessionLexer(RegexLexer):
    """Commands after '$ ', with further lines after '> ', and their output."""

    tokens = {"root": [(r"^(\$ |> )(.*\n)", bygroups(Generic.Prompt, using(BashLexer))), (r"^# exit \d+\n", Name.Label),
                       (r".*\n", Generic.Output)]}


def setup(app):
    app.add_lexer("console", SessionLexer)
    for name in ("hlo", "output"):
        app.add_lexer(name, TextLexer)
