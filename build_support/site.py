"""Hooks of MkDocs beyond mkdocs.yml: pages from outside docs/, and Mermaid without a request to another host."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from build_support.builds import ROOT

# The theme loads Mermaid from a host of its own unless the page has it already.
MERMAID = "assets/mermaid.js"
PAGES = {"changelog.md": ROOT / "CHANGELOG.md", "contributing.md": ROOT / "CONTRIBUTING.md"}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages and the script to what MkDocs found in docs/."""
    for name, path in {**PAGES, MERMAID: _mermaid()}.items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def _mermaid() -> Path:
    """The script in mermaidx, which is not imported: that would start an engine. Raises ModuleNotFoundError."""
    spec = find_spec("mermaidx")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("mermaidx is not installed: run `make site`, which sees to it.")
    return Path(spec.origin).parent / "assets" / "mermaid.js"
