"""What `make generate` writes from docs/reference/openapi.json."""
