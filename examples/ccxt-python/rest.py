"""ccxt over HTTP: an order that rests is shown, changed and canceled; a position is opened, shown and closed."""

import os

import ccxt

exchange = ccxt.hyperliquid(
    {
        "walletAddress": os.environ["WALLET_ADDRESS"],
        "privateKey": os.environ["WALLET_PRIVATE_KEY"],
        "urls": {"api": {"public": os.environ["BASE"], "private": os.environ["BASE"]}},
        "timeout": 60_000,  # ms; what a busy machine may need
    }
)

symbol = "BTC/USDC:USDC"
last = exchange.fetch_ticker(symbol)["last"]

order_id = exchange.create_order(symbol, "limit", "buy", 0.001, last * 0.9)["id"]
for order in exchange.fetch_open_orders(symbol):
    print(f"open {order['id']}: {order['amount']} at {order['price']}")
# The changed order has an id of its own.
changed_id = exchange.edit_order(order_id, symbol, "limit", "buy", 0.002, last * 0.91)["id"]
exchange.cancel_order(changed_id, symbol)
print(exchange.fetch_order(changed_id, symbol)["status"], changed_id)

# A market order of this client is a limit order that fills at once, up to 5 % away from the price that it is given.
bought = exchange.create_order(symbol, "market", "buy", 0.001, last)
print(f"filled {bought['id']}: {bought['filled']} at {bought['average']}")
for position in exchange.fetch_positions([symbol]):
    print("position", position["side"], position["contracts"], "at", position["entryPrice"])
exchange.create_order(symbol, "market", "sell", 0.001, last, {"reduceOnly": True})
for trade in exchange.fetch_my_trades(symbol):
    print("trade", trade["side"], trade["amount"], "at", trade["price"])
