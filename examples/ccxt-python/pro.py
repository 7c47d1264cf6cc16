"""ccxt.pro: orders and trades over the WebSocket, told as they happen."""

import asyncio
import os

import ccxt.pro

base = os.environ["BASE"]


async def main():
    exchange = ccxt.pro.hyperliquid(
        {
            "walletAddress": os.environ["WALLET_ADDRESS"],
            "privateKey": os.environ["WALLET_PRIVATE_KEY"],
            "urls": {"api": {"public": base, "private": base, "ws": {"public": base.replace("http", "ws") + "/ws"}}},
            "timeout": 60_000,  # ms; what a busy machine may need
            "newUpdates": True,
        }
    )
    try:
        await trade(exchange, "BTC/USDC:USDC")
    finally:
        await exchange.close()


async def trade(exchange, symbol):
    last = (await exchange.fetch_ticker(symbol))["last"]
    book = await exchange.watch_order_book(symbol)
    print("best ask", book["asks"][0][0])
    heard = asyncio.Queue()
    listening = [
        asyncio.create_task(listen(exchange.watch_orders, symbol, heard, lambda order: f"{order['status']} {order['id']}")),
        asyncio.create_task(
            listen(exchange.watch_my_trades, symbol, heard, lambda one: f"trade {one['side']} {one['amount']} of {one['order']}")
        ),
    ]

    order_id = (await exchange.create_order_ws(symbol, "limit", "buy", 0.001, last * 0.9))["id"]
    # Whether its opening is heard depends on which came first, the order or the subscription.
    await exchange.cancel_order_ws(order_id, symbol)
    await until_heard(heard, f"canceled {order_id}")

    bought = await exchange.create_order_ws(symbol, "market", "buy", 0.001, last)
    await until_heard(heard, f"trade buy 0.001 of {bought['id']}")
    sold = await exchange.create_order_ws(symbol, "market", "sell", 0.001, last, {"reduceOnly": True})
    await until_heard(heard, f"trade sell 0.001 of {sold['id']}")
    for task in listening:
        task.cancel()


async def listen(watch, symbol, heard, text_of):
    while True:
        for one in await watch(symbol):
            heard.put_nowait(text_of(one))


async def until_heard(heard, wanted):
    while True:
        text = await asyncio.wait_for(heard.get(), timeout=60)
        print("heard", text)
        if text == wanted:
            return


asyncio.run(main())
