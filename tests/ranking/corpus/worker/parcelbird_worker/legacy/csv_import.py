"""The import of address books from before there was an interface. Deprecated; shops with old scripts still use it."""

import csv

COLUMNS = ["name", "street", "postcode", "city", "country"]


def import_addresses(file, shop):
    """Reads rows of addresses; a row that is short of columns is reported and left out."""
    problems = []
    for number, row in enumerate(csv.reader(file, delimiter=";"), 1):
        if len(row) != len(COLUMNS):
            problems.append((number, f"{len(row)} columns"))
            continue
        save_address(shop, dict(zip(COLUMNS, row)))
    return problems
