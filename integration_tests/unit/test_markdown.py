"""The check of Markdown: which lines are too long, and which links lead nowhere."""

import subprocess

import pytest

from build_support.markdown import anchors, broken_links, faults, long_lines, markdown_files


@pytest.mark.parametrize(
    "line",
    [
        "x" * 60 + " " + "y" * 40,
        "- " + "x" * 60 + " " + "y" * 60,
        "    " + "x " * 60,
    ],
)
def test_a_line_of_more_than_100_characters_is_too_long(line):
    assert list(long_lines(f"short\n{line}\n")) == [(2, len(line))]


@pytest.mark.parametrize(
    "line",
    [
        "x" * 60 + " " + "y" * 39,
        "| " + "x " * 80 + "|",
        "[a](" + "x" * 120 + ")",
        "- [a](" + "x" * 120 + ")",
    ],
)
def test_rows_of_tables_and_single_links_may_be_longer(line):
    assert list(long_lines(line)) == []


def test_headings_are_anchors_as_github_spells_them():
    text = "# What `analyze: auto` means\n## A — B\n## Twice\n## Twice\n## [Linked](x.md) text\n"
    assert anchors(text) == {"what-analyze-auto-means", "a--b", "twice", "twice-1", "linked-text"}


def test_an_id_in_the_text_is_an_anchor():
    assert anchors('<a id="a-sample"></a>\n**A sample** is …') == {"a-sample"}


def test_what_is_in_a_fenced_block_is_no_heading():
    assert anchors("```sh\n# a comment\n```\n# A heading\n") == {"a-heading"}


@pytest.fixture
def page(tmp_path):
    (tmp_path / "there.md").write_text("# Some heading\n")

    def written(text):
        file = tmp_path / "page.md"
        file.write_text(text)
        return file

    return written


@pytest.mark.parametrize(
    "target", ["there.md", "there.md#some-heading", "#own", "https://example.org/x", "mailto:a@example.org"]
)
def test_a_link_that_leads_somewhere_is_no_fault(page, target):
    assert list(broken_links(page(f"# Own\n[a]({target})\n"))) == []


@pytest.mark.parametrize(
    ("target", "missing"),
    [
        ("gone.md", "gone.md does not exist"),
        ("there.md#other", "there.md has no heading or anchor other"),
        ("#other", "page.md has no heading or anchor other"),
    ],
)
def test_a_link_that_leads_nowhere_is_named(page, target, missing):
    assert list(broken_links(page(f"# Own\n[a]({target})\n"))) == [(2, target, missing)]


def test_a_link_may_begin_on_the_line_before(page):
    text = "# Own\nmore of [this\nthing](gone.md)\n"
    assert [(number, target) for number, target, _ in broken_links(page(text))] == [(3, "gone.md")]


@pytest.mark.parametrize("text", ["`[a](gone.md)`", "```\n[a](gone.md)\n```"])
def test_code_has_no_links(page, text):
    assert list(broken_links(page(text))) == []


def test_a_fault_names_its_file_and_line(page):
    file = page("# Own\n[a](gone.md)\n" + "x " * 60)
    assert faults([file], file.parent) == [
        "page.md:3: 120 characters, more than 100. Break the line.",
        "page.md:2: the link to gone.md is broken: gone.md does not exist.",
    ]


def test_new_files_are_checked_and_ignored_ones_are_not(page):
    root = page("").parent
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("built.md\n")
    (root / "built.md").write_text("")
    assert [file.name for file in markdown_files(root)] == ["page.md", "there.md"]
