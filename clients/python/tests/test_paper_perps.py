"""The package as it is installed, against the running exchange (``BASE``) and against a server that fails as it is told.

The account of ``BASE`` has at least one fill.
"""

from __future__ import annotations

import json
import os
import threading
import unittest
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from paper_perps import IncompleteExportError, PaperPerps, ServiceError, UnknownIdError
from paper_perps.export import save
from paper_perps.transport import RetryingTransport
from paper_perps.venue import Venue

BASE = os.environ["BASE"]
ORIGIN = BASE.split("/v1/")[0]
PASSWORD = "correct horse battery"


class Exchange(unittest.TestCase):
    """What the service answers, in the package's own types."""

    def setUp(self) -> None:
        self.perps = PaperPerps(BASE)
        self.addCleanup(self.perps.close)

    def test_the_address_may_be_given_without_a_key_in_it(self) -> None:
        key = BASE.rsplit("/", 1)[1]
        for url in (ORIGIN, f"{ORIGIN}/", f"{ORIGIN}/v1/exchanges/perpx"):
            with PaperPerps(url, api_key=key) as perps:
                self.assertEqual(perps.dashboard.overview().plan, self.perps.dashboard.overview().plan)
        with PaperPerps(ORIGIN) as stranger, self.assertRaises(ServiceError) as raised:
            stranger.dashboard.overview()
        self.assertEqual((raised.exception.status, raised.exception.code), (401, "invalid_credential"))

    def test_pages_give_each_row_once(self) -> None:
        fills = list(self.perps.dashboard.fills(page_size=1))
        self.assertGreater(len(fills), 1)
        self.assertEqual([fill.tid for fill in fills], [fill.tid for fill in self.perps.dashboard.fills()])
        self.assertEqual(len({fill.tid for fill in fills}), len(fills))
        orders = list(self.perps.dashboard.orders(status="filled"))
        self.assertLessEqual({fill.oid for fill in fills}, {order.oid for order in orders})

    def test_times_are_filters_and_need_a_zone(self) -> None:
        later = datetime.now(UTC) + timedelta(days=1)
        self.assertEqual(list(self.perps.dashboard.fills(start=later)), [])
        with self.assertRaises(ValueError):
            list(self.perps.dashboard.fills(start=datetime(2026, 1, 1)))

    def test_explanations(self) -> None:
        fill = next(self.perps.dashboard.fills())
        found = self.perps.explain_fill(fill.tid)
        self.assertEqual((found.fill.tid, found.evidence.source), (fill.tid, "book"))
        order = self.perps.explain_order(fill.oid)
        self.assertIn(fill.tid, [one.fill.tid for one in order.fills])
        with self.assertRaises(UnknownIdError):
            self.perps.explain_fill(1)
        with self.assertRaises(UnknownIdError):
            self.perps.explain_order("0x" + "00" * 16)

    def test_accounts_side_by_side(self) -> None:
        with PaperPerps(ORIGIN) as perps:
            perps.register(f"python-{uuid.uuid4()}@example.com", PASSWORD)
            key = perps.account.create_key("bot").api_key
            base = f"{ORIGIN}/v1/exchanges/perpx/key/{key}"
            create = {"type": "createSubAccount", "name": "grid"}
            made = httpx.post(f"{base}/exchange", json={"action": create, "nonce": 1}).json()
            account = made["response"]["data"]
            move = {"type": "subAccountTransfer", "subAccountUser": account, "isDeposit": True, "usd": 100_000_000}
            httpx.post(f"{base}/exchange", json={"action": move, "nonce": 2})
            self.assertEqual(perps.dashboard.of(account).overview().account_value, "100.0")
            # The fill of another user's account is no fill of this one, whichever account is asked.
            tid = next(self.perps.dashboard.fills()).tid
            for of in (None, account):
                with self.assertRaises(UnknownIdError):
                    perps.explain_fill(tid, account=of)
                with self.assertRaises(UnknownIdError):
                    perps.explain_order(1, account=of)

    def test_exports_go_on_where_they_were_cut(self) -> None:
        with TemporaryDirectory() as folder:
            for kind in ("journal", "fills"):
                path = Path(folder, f"{kind}.jsonl")
                end = self.perps.dashboard.export(path, kind)
                self.assertEqual(end.state_hash is not None, kind == "journal")
                whole = path.read_bytes()
                self.assertIn(b'"complete":true', whole.splitlines()[-1])
                lines = whole.splitlines(keepends=True)
                for cut in (0, 10, len(lines[0]), len(lines[0]) + len(lines[1]) + 7, len(whole) - 3):
                    path.write_bytes(whole[:cut])
                    self.assertEqual(self.perps.dashboard.export(path, kind).next, end.next)
                    now = path.read_bytes().splitlines()
                    # A journal has the head of each part, from which the count of the end is made; nothing else is added.
                    parts = [at for at, line in enumerate(now) if b'"continues":{"after_seq"' in line]
                    without = [line for at, line in enumerate(now) if at not in parts]
                    self.assertEqual(without[:-1], whole.splitlines()[:-1], str(cut))
                    entries = [line for line in now[max(parts, default=0) + 1 : -1] if b'"entry":' in line]
                    if kind == "journal":
                        self.assertEqual(json.loads(now[-1])["end"]["rows"], len(entries), str(cut))
                self.assertEqual(self.perps.dashboard.export(path, kind).next, end.next)

    def test_frames(self) -> None:
        fills = self.perps.dashboard.fills_frame()
        newest_first = list(self.perps.dashboard.fills())
        self.assertEqual(list(fills["tid"]), [fill.tid for fill in newest_first][::-1])
        self.assertEqual(str(fills["price"].dtype), "float64")
        self.assertTrue(fills.index.is_monotonic_increasing)
        self.assertIn("UTC", str(fills.index.dtype))
        exact = self.perps.dashboard.fills_frame(exact=True)
        self.assertEqual(sum(exact["fee"]), sum(Decimal(fill.fee) for fill in newest_first))
        equity = self.perps.dashboard.equity_frame("1d", "1h")
        self.assertEqual(list(equity.columns), ["equity", "balance"])
        self.assertGreater(len(equity), 0)
        self.assertEqual(list(self.perps.dashboard.fills_frame(coin="ETH", start=datetime.now(UTC)).columns), list(fills.columns))

    def test_an_account_of_its_own(self) -> None:
        email = f"python-{uuid.uuid4()}@example.com"
        token = self.perps.register(email, PASSWORD)
        self.assertEqual(self.perps.account.profile().email, email)
        self.assertNotEqual(self.perps.login(email, PASSWORD), token)
        made = self.perps.account.create_key("research", scopes=["read"], repeat_key="once")
        again = self.perps.account.create_key("research", scopes=["read"], repeat_key="once")
        self.assertEqual((made.id, made.api_key), (again.id, again.api_key))
        self.assertEqual([key.id for key in self.perps.account.keys()], [made.id])
        with PaperPerps(ORIGIN, api_key=made.api_key) as reader, self.assertRaises(ServiceError) as raised:
            reader.account.reset()
        self.assertEqual((raised.exception.status, raised.exception.code), (403, "insufficient_scope"))
        self.perps.account.revoke_key(made.id)
        self.assertEqual(self.perps.account.keys(), [])

    def test_money_and_plans(self) -> None:
        with PaperPerps(ORIGIN) as perps:
            perps.register(f"python-{uuid.uuid4()}@example.com", PASSWORD)
            address = perps.account.profile().address
            self.assertEqual(perps.account.set_balance("2500", account=address).balance, "2500.0")
            self.assertEqual(perps.dashboard.of(address).overview().balance, "2500.0")
            group = perps.dashboard.group()
            self.assertEqual([one.address for one in group.accounts], [address])
            self.assertEqual(group.total.balance, "2500.0")
            self.assertEqual(perps.account.reset().balance, "10000.0")
            self.assertEqual({plan.id for plan in perps.billing.plans()}, {"basic", "pro"})
            self.assertEqual(list(perps.billing.invoices()), [])
            invoice = perps.billing.subscribe("basic", "month")
            self.assertEqual([one.id for one in perps.billing.invoices()], [invoice.id])
            self.assertEqual(perps.billing.subscription().status, "trial")
            with self.assertRaises(ServiceError) as raised:
                perps.billing.apply_discount("NO-SUCH-CODE")
            error = raised.exception
            self.assertEqual(error.status, 400)
            self.assertRegex(error.request_id or "", r"^[\w.:-]{1,64}$")
            self.assertIn(error.message, str(error))


class Exports(unittest.TestCase):
    """What is saved of answers that break off, against a server that sends what it is told."""

    def save(self, folder: str, *answers: bytes | Exception, there: bytes = b"") -> tuple[Path, list[str]]:
        given, asked = iter(answers), []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request.url.query.decode())
            body = next(given)
            if isinstance(body, Exception):
                raise body
            return httpx.Response(200, stream=Broken(body))

        path = Path(folder, "rows.jsonl")
        path.write_bytes(there)
        http = httpx.Client(base_url="http://exchange", transport=httpx.MockTransport(answer))
        save(http, path, kind="fills", account="0xab", attempts=3, sleep=lambda _: None)
        return path, asked

    def test_a_connection_that_breaks_and_a_store_that_is_away_are_gone_on_from(self) -> None:
        head, row = b'{"head":{}}\n', b'{"next":"%d.0"}\n'
        away = b'{"end":{"complete":false,"error":{"code":"store_unavailable","detail":"away"}}}\n'
        end = b'{"end":{"complete":true,"next":"3.0"}}\n'
        with TemporaryDirectory() as folder:
            first = head + row % 1 + row % 2 + b'{"next":"3.'
            path, asked = self.save(folder, first, httpx.ConnectError("gone"), head + row % 3 + away, head + end)
            self.assertEqual(path.read_bytes(), head + row % 1 + row % 2 + row % 3 + end)
            self.assertEqual([one.split("from=")[1].split("&")[0] if "from=" in one else "" for one in asked], ["", "2.0", "2.0", "3.0"])
            # A file of another program may have the line that says that the rest is missing.
            path, asked = self.save(folder, head + row % 2 + end, there=head + row % 1 + away)
            self.assertEqual(path.read_bytes(), head + row % 1 + row % 2 + end)

    def test_what_is_forgotten_is_raised_and_so_is_a_third_failure_without_a_line(self) -> None:
        forgotten = b'{"end":{"complete":false,"error":{"code":"seq_forgotten","detail":"gone"}}}\n'
        with TemporaryDirectory() as folder:
            with self.assertRaises(IncompleteExportError) as raised:
                self.save(folder, forgotten)
            self.assertEqual(raised.exception.code, "seq_forgotten")
            with self.assertRaises(httpx.ConnectError):
                self.save(folder, *[httpx.ConnectError("gone")] * 3)


class Broken(httpx.SyncByteStream):
    """A body whose connection breaks behind it, unless its last line is an end."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        # In pieces that end anywhere.
        yield from (self._body[at : at + 7] for at in range(0, len(self._body), 7))
        if b'"end"' not in self._body:
            raise httpx.ReadError("broken")


class Failures(unittest.TestCase):
    """What is sent again, and what is not."""

    def test_questions_are_sent_again_and_wait_as_told(self) -> None:
        with failing([(503, {"Retry-After": "7"}), (429, {"Retry-After": "2"})]) as server:
            self.assertEqual(server.send("GET"), 200)
            self.assertEqual((server.methods, server.waits), (["GET"] * 3, [7.0, 2.0]))

    def test_a_change_without_a_key_is_sent_once_but_for_429(self) -> None:
        with failing([(503, {})]) as server:
            self.assertEqual(server.send("POST"), 503)
            self.assertEqual(server.methods, ["POST"])
        with failing([(429, {})]) as server:
            self.assertEqual(server.send("POST"), 200)
        with failing([(503, {})]) as server:
            self.assertEqual(server.send("POST", {"Idempotency-Key": "once"}), 200)
            self.assertEqual(server.waits, [0.25])

    def test_a_refusal_is_not_repeated_nor_a_wait_that_is_too_long(self) -> None:
        for status, headers in ((400, {}), (429, {"Retry-After": "31"})):
            with failing([(status, headers)]) as server:
                self.assertEqual(server.send("GET"), status)
                self.assertEqual(server.waits, [])

    def test_three_attempts_are_the_end(self) -> None:
        with failing([(503, {})] * 3) as server:
            self.assertEqual(server.send("GET"), 503)
            self.assertEqual(server.waits, [0.25, 0.5])

    def test_what_is_no_answer_of_the_service_says_so(self) -> None:
        response = httpx.Response(502, text="<html>Bad gateway</html>")
        error = ServiceError.of(response)
        self.assertEqual((error.code, error.message, error.request_id), ("unreadable", "<html>Bad gateway</html>", None))

    def test_a_connection_that_fails_raises_after_the_last_attempt(self) -> None:
        with failing([]) as server:
            pass
        with self.assertRaises(httpx.ConnectError):
            server.send("GET")
        self.assertEqual(server.waits, [0.25, 0.5])


class Advances(unittest.TestCase):
    """Time that is set ahead in more than one call."""

    def test_goes_on_under_one_name_until_it_is_done(self) -> None:
        with failing([(503, {"Retry-After": "0"})] * 2, "advance_unfinished") as server:
            with Venue(f"{server.url}v1/exchanges/perpx/key/pe_x") as venue:
                venue.advance(60_000)
            ids = {json.loads(body)["id"] for body in server.bodies}
            self.assertEqual((len(server.bodies), len(ids)), (3, 1))

    def test_does_not_repeat_what_is_refused(self) -> None:
        with failing([(400, {})]) as server, Venue(f"{server.url}v1/exchanges/perpx/key/pe_x") as venue:
            with self.assertRaises(ServiceError):
                venue.advance(-1)
            self.assertEqual(len(server.bodies), 1)


class FailingServer:
    """A server that gives these answers, then 200; and a client of it that waits for nothing and notes for how long."""

    def __init__(self, answers: list[tuple[int, dict[str, str]]], code: str = "told") -> None:
        self.methods: list[str] = []
        self.bodies: list[bytes] = []
        self.waits: list[float] = []
        methods, bodies = self.methods, self.bodies

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                methods.append(self.command)
                bodies.append(self.rfile.read(int(self.headers["Content-Length"] or 0)))
                status, headers = answers.pop(0) if answers else (200, {})
                body = json.dumps({"code": code, "detail": "As told."}).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = _answer

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/"

    def send(self, method: str, headers: dict[str, str] | None = None) -> int:
        """Sends a request; answers the status in the end."""
        transport = RetryingTransport(httpx.HTTPTransport(), attempts=3, longest_wait=30, sleep=self.waits.append)
        with httpx.Client(transport=transport) as client:
            try:
                return client.request(method, self.url, headers=headers).status_code
            except ServiceError as error:
                return error.status


@contextmanager
def failing(answers: list[tuple[int, dict[str, str]]], code: str = "told") -> Iterator[FailingServer]:
    """The server while it listens."""
    server = FailingServer(answers, code)
    thread = threading.Thread(target=server.http.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        thread.join()
        server.http.server_close()


if __name__ == "__main__":
    unittest.main()
