"""What several verbs share: options, input, output, exit statuses."""
