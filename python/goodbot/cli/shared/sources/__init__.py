"""What the arguments of several verbs name: files and sites."""
