"""The keys of an operator, by their earlier name: they are `goodbot.signatures.KeySet`."""

from goodbot.signatures.key_set import KeySet as OperatorKeys

__all__ = ["OperatorKeys"]
