"""hyperliquid-python-sdk: orders over HTTP, and subscriptions that tell of them and of the fills."""

import os
import queue

import eth_account
from hyperliquid.exchange import Exchange
from hyperliquid.info import Info

wallet = eth_account.Account.from_key(os.environ["WALLET_PRIVATE_KEY"])
info = Info(os.environ["BASE"])
exchange = Exchange(wallet, os.environ["BASE"])

messages = queue.Queue()
info.subscribe({"type": "orderUpdates", "user": wallet.address}, messages.put)
info.subscribe({"type": "userFills", "user": wallet.address}, messages.put)


def hear(wanted):
    """Prints what is told, until the order's fill, or a line, is among it."""
    while True:
        message = messages.get(timeout=60)
        data = message["data"]
        if message["channel"] == "orderUpdates":
            told = {f"{update['status']} {update['order']['oid']}": None for update in data}
        else:
            told = {} if data.get("isSnapshot") else {fill["oid"]: f"{fill['dir']} {fill['sz']}" for fill in data["fills"]}
        for key, line in told.items():
            print("heard", line or key)
        if wanted in told:
            return


mid = float(info.all_mids()["BTC"])
placed = exchange.order("BTC", True, 0.001, round(mid * 0.9), {"limit": {"tif": "Gtc"}})
oid = placed["response"]["data"]["statuses"][0]["resting"]["oid"]
for order in info.open_orders(wallet.address):
    print(f"open {order['oid']}: {order['sz']} at {order['limitPx']}")
hear(f"open {oid}")
exchange.cancel("BTC", oid)
hear(f"canceled {oid}")

bought = exchange.market_open("BTC", True, 0.001)["response"]["data"]["statuses"][0]["filled"]
print(f"filled {bought['oid']}: {bought['totalSz']} at {bought['avgPx']}")
for row in info.user_state(wallet.address)["assetPositions"]:
    print("position", row["position"]["szi"], "at", row["position"]["entryPx"])
hear(bought["oid"])
# As much as was bought: without the size it closes the whole position.
sold = exchange.market_close("BTC", 0.001)["response"]["data"]["statuses"][0]["filled"]
hear(sold["oid"])
info.disconnect_websocket()
