from decimal import Decimal
from types import SimpleNamespace

from parcelbird_worker.tasks.invoice import number, totals


def line(price):
    return SimpleNamespace(price=Decimal(price))


def test_tax_is_rounded_over_the_sum():
    net, tax, gross = totals([line("0.13")] * 3, "DE")
    assert (net, tax, gross) == (Decimal("0.39"), Decimal("0.07"), Decimal("0.46"))


def test_invoice_numbers_are_padded():
    assert number(2024, 7) == "PB-2024-000007"
