"""Columns with dictionaries, without the values that no row has any more.

Scope: from columns to columns. Arrow keeps the dictionary of a column as it is when rows are taken
out, and writers put all of it into the file: what was removed would still be there to read.

>>> import pyarrow as pa
>>> column = pa.array(["removed", "kept"]).dictionary_encode().filter(pa.array([False, True]))
>>> column.dictionary.to_pylist()
['removed', 'kept']
>>> batch = drop_unused(pa.record_batch({"text": column}))
>>> batch.column("text").dictionary.to_pylist()
['kept']
"""

from typing import Any

from goodbot.tables.columns.schema import pyarrow

__all__ = ["drop_unused", "has_dictionaries"]


def has_dictionaries(schema: Any) -> bool:  # noqa: ANN401  pyarrow's
    """Return whether any column of a schema has a dictionary, also within its values."""
    return any(plain_type(field.type) != field.type for field in schema)


def drop_unused(batch: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a batch whose dictionaries have only values that rows have."""
    columns = []
    for column in batch.columns:
        plain = plain_type(column.type)
        columns.append(column if plain == column.type else column.cast(plain).cast(column.type))
    return pyarrow().record_batch(columns, schema=batch.schema)


def plain_type(given: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a type with values in place of dictionaries, also within lists and structures."""
    pa = pyarrow()
    types = pa.types
    if types.is_dictionary(given):
        return plain_type(given.value_type)
    if types.is_map(given):
        return pa.map_(plain_field(given.key_field), plain_field(given.item_field))
    if types.is_fixed_size_list(given):
        return pa.list_(plain_field(given.value_field), given.list_size)
    if types.is_large_list(given):
        return pa.large_list(plain_field(given.value_field))
    if types.is_list(given):
        return pa.list_(plain_field(given.value_field))
    if types.is_struct(given):
        return pa.struct([plain_field(field) for field in given])
    return given


def plain_field(field: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a field with a plain type."""
    return field.with_type(plain_type(field.type))
