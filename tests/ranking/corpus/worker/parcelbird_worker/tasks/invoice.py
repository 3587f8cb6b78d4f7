"""Monthly invoices: what a shop bought, with tax, as a PDF in its mailbox."""

from decimal import ROUND_HALF_EVEN, Decimal

from ..pdf import Document
from . import task

#: value added tax in percent, by country
VAT = {"DE": 19, "FR": 20, "AT": 20, "CH": Decimal("8.1")}


@task("invoice.monthly")
def monthly():
    for shop in shops_without_invoice():
        lines = labels_bought(shop, last_month())
        if lines:
            send(shop, render(shop, lines))


def totals(lines, country):
    """Net, tax and gross. Tax is rounded once, over the sum, not line by line."""
    net = sum((line.price for line in lines), Decimal(0))
    tax = (net * VAT.get(country, 0) / 100).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    return net, tax, net + tax


def number(year, serial):
    """Invoice numbers have no gaps; the tax office asks about those."""
    return f"PB-{year}-{serial:06d}"


def render(shop, lines):
    document = Document(title=f"Invoice for {shop.name}")
    for line in lines:
        document.row(line.bought_at, line.tracking_number, line.price)
    for caption, amount in zip(("Net", "VAT", "Total"), totals(lines, shop.country)):
        document.row("", caption, amount)
    return document.bytes()
