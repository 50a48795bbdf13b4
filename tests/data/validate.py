#!/usr/bin/env python3
"""Validates every file below DATA_DIR against the JSON Schema named after its top-level key.

usage: validate.py DATA_DIR

A file {"schema": 1, "gpus": [...]} is checked against DATA_DIR/schema/gpus.schema.json. Files for which there is no
schema are counted, not failed. Exits 1 when a file is not valid JSON, repeats a key or breaks its schema.
"""

import json
import pathlib
import sys

import jsonschema

MAX_ERRORS_PER_FILE = 20


def refuse_repeated_keys(pairs):
    seen = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"key '{key}' is repeated")
        seen[key] = value
    return seen


def load(path):
    with path.open(encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=refuse_repeated_keys)


def load_schemas(folder):
    validators = {}
    for path in sorted(folder.glob("*.schema.json")):
        schema = load(path)
        cls = jsonschema.validators.validator_for(schema)
        cls.check_schema(schema)
        validators[path.name[: -len(".schema.json")]] = cls(schema)
    return validators


def errors_of(document, validator):
    found = []
    for error in validator.iter_errors(document):
        where = "/".join(str(part) for part in error.absolute_path) or "top"
        found.append(f"{where}: {error.message[:200]}")
        if len(found) == MAX_ERRORS_PER_FILE:
            found.append("(more errors not shown)")
            break
    return found


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    validators = load_schemas(root / "schema")
    checked = skipped = failed = 0
    for path in sorted(root.rglob("*.json")):
        if path.parent.name == "schema":
            continue
        try:
            document = load(path)
        except ValueError as error:
            print(f"{path}: {error}")
            failed += 1
            continue
        kinds = [key for key in document if key in validators] if isinstance(document, dict) else []
        if not kinds:
            skipped += 1
            continue
        checked += 1
        errors = errors_of(document, validators[kinds[0]])
        failed += bool(errors)
        for error in errors:
            print(f"{path}: {error}")
    print(f"{checked} files checked, {skipped} without a schema, {failed} bad")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
