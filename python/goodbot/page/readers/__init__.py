"""Readers of documents: one for HTML, one for XML, one for everything else.

`reader` has what they share with `Page`: the interface, and what they return. A reader uses the
steps in `decided`, `marked` and `description`; no reader knows another.
"""
