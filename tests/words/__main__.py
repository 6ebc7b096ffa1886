"""Write the snapshot of sentences: `make words`."""

from tests.words.writing import write

write()
