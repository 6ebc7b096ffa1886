"""The verbs of crawls: one makes them, the others read them or change how they go on."""
