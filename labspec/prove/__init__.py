"""Proof: build for real, run the generated tests, and hold them against every mistake."""
