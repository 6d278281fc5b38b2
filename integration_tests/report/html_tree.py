"""A page as a tree, by the standard library's parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = ("meta", "input", "br", "img", "link")


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it, with single spaces."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        """The elements in it with that tag and these attributes; of `class_` one of several is enough."""
        return [each for each in self._elements() if tag in ("", each.tag) and each._has(attributes)]

    def one(self, tag: str = "", **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found

    def _elements(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child._elements()

    def _has(self, attributes: dict[str, str]) -> bool:
        return all(
            value in (self.attributes.get("class") or "").split()
            if name == "class_"
            else self.attributes.get(name.replace("_", "-")) == value
            for name, value in attributes.items()
        )


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attributes))
        self.open[-1].children.append(element)
        if tag not in _EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> within <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def tree(page: str) -> Element:
    """The tree of a page in which each element that is opened is closed."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    (root,) = parser.open
    return root
