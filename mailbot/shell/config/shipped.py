"""The files that come with the program: templates, examples of configuration, documents."""

from importlib.resources import files
from pathlib import Path


def shipped(name: str) -> Path:
    """A file or folder by its name in the checkout. An installed package holds the same names inside itself."""
    package = Path(str(files("mailbot")))
    inside = package / name
    return inside if inside.exists() else package.parent / name
