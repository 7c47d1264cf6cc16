"""Makes ``paper_perps._generated`` from the published contract, each time the package is built."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GenerateHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs the generator that ``pyproject.toml`` pins."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Writes the generated modules into the source tree, where the build finds them."""
        here = Path(self.root)
        # A source distribution has the document beside this file; the repository one folder above, for all clients.
        document = next(path for path in (here / "openapi.json", here.parent / "openapi.json") if path.exists())
        target = here / "src" / "paper_perps" / "_generated"
        words = ["--path", str(document), "--output-path", str(target), "--meta", "none", "--overwrite"]
        command = [sys.executable, "-m", "openapi_python_client", "generate", *words, "--config", str(here / "generator.yml")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
