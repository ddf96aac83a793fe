"""The DDL: one folder for each engine, numbered migrations in each."""
