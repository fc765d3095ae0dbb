"""Adds up ctest's JUnit files: `count_tests.py FOLDER MORE_FAILED MORE_SKIPPED` prints one closing line and
fails when a test did."""

import sys
import xml.etree.ElementTree
from pathlib import Path

failed, skipped = int(sys.argv[2]), int(sys.argv[3])
passed = 0
for path in sorted(Path(sys.argv[1]).glob("*.xml")):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        status = case.get("status")
        if status == "run":
            passed += 1
        elif status == "fail":
            failed += 1
        else:
            skipped += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0 or passed == 0)
