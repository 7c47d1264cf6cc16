"""Tables for pandas, which the extra ``pandas`` installs."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import pandas as pd

from ._generated.models import AccountFill, EquityPoint

_FILL_COLUMNS = ["tid", "oid", "coin", "side", "direction", "price", "size", "fee", "liquidity", "closed_pnl"]
_FILL_MONEY = ["price", "size", "fee", "closed_pnl"]
_EQUITY_COLUMNS = ["equity", "balance"]


def fills_frame(fills: Iterable[AccountFill], *, exact: bool) -> pd.DataFrame:
    """One row for each fill, oldest first."""
    return _frame([fill.to_dict() for fill in fills][::-1], _FILL_COLUMNS, _FILL_MONEY, exact=exact)


def equity_frame(points: Iterable[EquityPoint], *, exact: bool) -> pd.DataFrame:
    """One row for each point."""
    return _frame([point.to_dict() for point in points], _EQUITY_COLUMNS, _EQUITY_COLUMNS, exact=exact)


def _frame(rows: list[dict[str, object]], columns: list[str], money: list[str], *, exact: bool) -> pd.DataFrame:
    index = pd.DatetimeIndex(pd.to_datetime([str(row["time"]) for row in rows], utc=True, format="ISO8601"), name="time")
    frame = pd.DataFrame(rows, columns=columns).set_index(index)
    for name in money:
        frame[name] = frame[name].map(Decimal) if exact else frame[name].astype(float)
    return frame
