"""Readers of documents: one for HTML, one for XML, one for everything else.

`reader` has the interface and the return type that `Page` uses. Each reader uses the steps in
`decided`, `marked` and `description`; no reader uses another one.
"""
