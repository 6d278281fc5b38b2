"""The check of docstrings and comments: the openings that are refused, the lengths, and the place of a fault."""

import subprocess

import pytest

from build_support.docstrings import faults, long_comments, refused, source_files


@pytest.mark.parametrize(
    "opening",
    [
        "What it says",
        "What's left",
        "Whether it is",
        "Of the rows",
        "As dbt's",
        "As: text",
        "The same again",
        "what",
    ],
)
def test_an_opening_without_a_subject_is_refused(opening):
    assert [line for line, _ in refused(f'"""{opening}."""\n')] == [1]


@pytest.mark.parametrize(
    "opening",
    [
        "The rows of it",
        "Ascending order",
        "The samebook",
        "Often read",
        "`as` is kept",
        "True if it is",
        "Whatever is left",
    ],
)
def test_an_opening_with_a_subject_is_not_refused(opening):
    assert list(refused(f'"""{opening}."""\n')) == []


def test_modules_classes_methods_and_coroutines_are_checked_at_every_depth():
    text = '''"""
What a module holds.
"""
class Outer:
    """Of a class."""

    def method(self):
        """As a method does."""

        async def inner():
            """The same
            inside."""
'''
    assert sorted(refused(text)) == [
        (1, "What a module holds."),
        (5, "Of a class."),
        (8, "As a method does."),
        (11, "The same inside."),
    ]


def test_strings_and_comments_that_are_no_docstrings_are_not_checked():
    assert (
        list(refused('# What it is\nx = """Of a string."""\n"""What stands after x."""\nf"""As {x}"""\n'))
        == []
    )


def test_a_function_without_a_docstring_is_no_fault():
    assert list(refused("def f():\n    pass\n")) == []


def test_a_fault_names_its_file_line_and_words_and_the_remedy(tmp_path):
    file = tmp_path / "page.py"
    file.write_text('x = 1\n\ndef f():\n    """Whether a row is there or not, in the end."""\n')
    assert faults([file], tmp_path) == [
        'page.py:4: the docstring begins with "Whether a row is". '
        'Begin with its subject: name what is returned or held, use a verb, or write "True if …".'
    ]


@pytest.mark.parametrize("opening", ["// ", "  /** ", "  * ", "    // "])
def test_a_comment_of_more_than_120_characters_is_too_long(opening):
    line = opening + "x " * (60 - len(opening) // 2)
    assert list(long_comments(f"short\n{line}y\n")) == [(2, len(line) + 1)]
    assert list(long_comments(line[:120])) == []


@pytest.mark.parametrize("line", ['val a = "' + "x " * 60 + '"', "// https://example.org/" + "x" * 120])
def test_code_and_single_words_may_be_longer(line):
    assert list(long_comments(line)) == []


def test_a_long_comment_of_scala_names_its_file_and_line(tmp_path):
    file = tmp_path / "A.scala"
    file.write_text("object A\n// " + "x " * 60 + "\n")
    assert faults([file], tmp_path) == [
        "A.scala:2: a comment of 123 characters, more than 120. Break the line."
    ]


def test_new_files_are_checked_and_ignored_ones_are_not(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("Built.scala\n")
    for name in ("Built.scala", "A.scala", "B.java", "c.py", "note.txt"):
        (tmp_path / name).write_text("")
    assert [file.name for file in source_files(tmp_path)] == ["A.scala", "B.java", "c.py"]
