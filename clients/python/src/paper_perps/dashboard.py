"""The account as a dashboard shows it: figures, lists as iterators, and tables for pandas."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from ._generated.api.dashboard import (
    list_fills,
    list_open_orders,
    list_orders,
    list_positions,
    list_round_trips,
    show_analytics,
    show_equity_curve,
    show_group,
    show_overview,
    show_round_trip_figures,
)
from ._generated.client import AuthenticatedClient
from ._generated.models import (
    AccountFill,
    AccountGroup,
    AccountOrder,
    AccountPosition,
    Analytics,
    EquityPoint,
    Interval,
    ListedStatus,
    Overview,
    Period,
    RoundTrip,
    RoundTripFigures,
)
from ._generated.types import UNSET
from .calls import EXCHANGE, answered, iso, pages
from .export import ExportEnd, ExportKind, save

if TYPE_CHECKING:
    import pandas as pd


class Dashboard:
    """Reads only, so it answers for an account whose trial is over, too. Money is decimal text."""

    def __init__(self, client: AuthenticatedClient, account: str | None = None) -> None:
        self._client = client
        self._account = account if account is not None else UNSET

    def of(self, account: str) -> Dashboard:
        """The same of one account of the user: the address of the master account or of a sub-account."""
        return Dashboard(self._client, account)

    def group(self) -> AccountGroup:
        """All accounts of the user, and their totals, which transfers between them do not change."""
        return answered(show_group.sync(EXCHANGE, client=self._client))

    def overview(self) -> Overview:
        """The account at this moment."""
        return answered(show_overview.sync(EXCHANGE, client=self._client, account=self._account))

    def positions(self) -> list[AccountPosition]:
        """Open positions."""
        return answered(list_positions.sync(EXCHANGE, client=self._client, account=self._account)).items

    def open_orders(self, *, coin: str | None = None) -> Iterator[AccountOrder]:
        """Open orders, newest first, read page by page."""
        wanted = coin if coin is not None else UNSET
        return pages(
            lambda cursor: answered(
                list_open_orders.sync(EXCHANGE, client=self._client, account=self._account, cursor=cursor, coin=wanted)
            )
        )

    def orders(
        self,
        *,
        status: ListedStatus | None = None,
        coin: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> Iterator[AccountOrder]:
        """Orders, each once as it stands, newest first, read page by page."""
        return pages(
            lambda cursor: answered(
                list_orders.sync(
                    EXCHANGE,
                    client=self._client,
                    account=self._account,
                    cursor=cursor,
                    status=status if status is not None else UNSET,
                    coin=coin if coin is not None else UNSET,
                    start_time=iso(start),
                    end_time=iso(end),
                )
            )
        )

    def fills(
        self,
        *,
        coin: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        page_size: int = 100,
    ) -> Iterator[AccountFill]:
        """Executions, newest first, read page by page."""
        return pages(
            lambda cursor: answered(
                list_fills.sync(
                    EXCHANGE,
                    client=self._client,
                    account=self._account,
                    cursor=cursor,
                    limit=page_size,
                    coin=coin if coin is not None else UNSET,
                    start_time=iso(start),
                    end_time=iso(end),
                )
            )
        )

    def round_trips(
        self,
        *,
        coin: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        page_size: int = 100,
    ) -> Iterator[RoundTrip]:
        """Positions from flat to flat, newest first, read page by page."""
        return pages(
            lambda cursor: answered(
                list_round_trips.sync(
                    EXCHANGE,
                    client=self._client,
                    account=self._account,
                    cursor=cursor,
                    limit=page_size,
                    coin=coin if coin is not None else UNSET,
                    start_time=iso(start),
                    end_time=iso(end),
                )
            )
        )

    def round_trip_figures(self, *, start: datetime | None = None, end: datetime | None = None) -> RoundTripFigures:
        """What the positions that became flat in a range of time came to."""
        return answered(
            show_round_trip_figures.sync(
                EXCHANGE,
                client=self._client,
                account=self._account,
                start_time=iso(start),
                end_time=iso(end),
            )
        )

    def analytics(self, period: Period = "all") -> Analytics:
        """What trading came to over a period."""
        return answered(show_analytics.sync(EXCHANGE, client=self._client, account=self._account, period=period))

    def equity_curve(self, period: Period = "30d", interval: Interval = "1h") -> list[EquityPoint]:
        """Account value and balance over a period, oldest first."""
        curve = answered(
            show_equity_curve.sync(
                EXCHANGE, client=self._client, account=self._account, period=period, interval=interval
            )
        )
        return curve.points

    def export(self, path: str | os.PathLike[str], kind: ExportKind = "journal", *, attempts: int = 5) -> ExportEnd:
        """Saves all rows of a kind, or the journal, as lines of JSON, oldest first.

        A file that is there goes on behind its last whole line, in this call where a connection breaks, and in a later one.

        Args:
            attempts: how often it is asked without a new line before the failure is raised.

        Raises:
            IncompleteExportError: the rest is missing, and why.
        """
        account = self._account if isinstance(self._account, str) else None
        return save(self._client.get_httpx_client(), path, kind=kind, account=account, attempts=attempts)

    def fills_frame(
        self,
        *,
        coin: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        exact: bool = False,
    ) -> pd.DataFrame:
        """Executions as a table, oldest first, by their time.

        Args:
            exact: columns of money hold ``Decimal``; without it floats, which compute faster and round.
        """
        from .frames import fills_frame

        return fills_frame(self.fills(coin=coin, start=start, end=end, page_size=500), exact=exact)

    def equity_frame(self, period: Period = "30d", interval: Interval = "1h", *, exact: bool = False) -> pd.DataFrame:
        """Account value and balance as a table, by their time; ``exact`` as in ``fills_frame``."""
        from .frames import equity_frame

        return equity_frame(self.equity_curve(period, interval), exact=exact)
