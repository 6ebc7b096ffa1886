"""The links of a crawl: which page links to what, how, with which words, and where."""
