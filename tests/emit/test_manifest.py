"""The bookkeeping of a repository is plain JSON, laid out as Python's own encoder does."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from labspec.emit.manifest import manifest_file, pristine_file, read_manifest, read_pristine
from labspec.emit.outputs import Edition, Plan
from labspec.emit.tree import File

paths = st.text("abc./é\"'", min_size=1)
files = st.dictionaries(paths, st.builds(lambda text: File(text.encode("utf-8")), st.text()))


@given(files)
def test_the_bookkeeping_is_the_json_that_python_prints(tree: dict[str, File]) -> None:
    """What earlier versions of labspec wrote is, byte for byte, what this one writes."""
    manifest = manifest_file(Plan("a_lab", "1.0.0", "0" * 64, Edition(), ()), tree)
    for file in (manifest, pristine_file(tree)):
        assert file.data == (json.dumps(json.loads(file.data), indent=1) + "\n").encode("ascii")
    assert read_pristine(pristine_file(tree).data) == {path: file.data for path, file in tree.items()}
    read = read_manifest(manifest.data)
    assert read is not None
    assert set(read.digests) == set(tree)
