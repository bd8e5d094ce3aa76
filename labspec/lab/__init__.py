"""What a spec means: the resolved lab, and the steps that lead from a `Spec` to it."""
