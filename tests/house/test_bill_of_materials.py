"""The bill of materials that .ci/run writes names everything that the product installs."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_it_lists_every_required_package_with_its_version_and_hashes(tmp_path: Path) -> None:
    command = re.search(r"^cyclonedx-py (.*?) 2>", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert command
    words = [str(tmp_path / "sbom.json") if word == "$sbom" else word for word in shlex.split(command[1])]
    subprocess.run([Path(sys.executable).parent / "cyclonedx-py", *words], cwd=ROOT, check=True, capture_output=True, timeout=120)
    bill = json.loads((tmp_path / "sbom.json").read_text())
    assert bill["metadata"]["component"]["name"] == "pilothouse"
    required = set(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE))
    assert len(required) > 30
    assert {(one["name"], one["version"]) for one in bill["components"]} == required
    assert all(reference["hashes"] for one in bill["components"] for reference in one["externalReferences"])
