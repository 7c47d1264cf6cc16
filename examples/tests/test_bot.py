import os
from decimal import Decimal

import httpx

SCENARIOS = os.path.join(os.environ["EXCHANGE"], "examples", "scenarios")
ORDER = {"a": 0, "b": True, "p": "54000", "s": "0.01", "r": False, "t": {"limit": {"tif": "Gtc"}}}


def test_a_resting_order_fills_in_a_crash(paper):
    paper.control("setPrice", coin="BTC", px="60000")
    action = {"type": "order", "grouping": "na", "orders": [ORDER]}
    httpx.post(f"{paper.exchange_url}/exchange", json={"action": action, "nonce": 1}).raise_for_status()
    paper.scenario(f"{SCENARIOS}/flash-crash.yaml", until="bottom")
    [fill] = paper.perps.dashboard.fills()
    assert Decimal(fill.price) == 54_000
