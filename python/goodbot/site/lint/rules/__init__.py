"""The rules of lint, one file each; `core_findings` has those of the core."""
