"""Makes a python client and calls it as the tests say.

Started with the client's name and its options as JSON. It answers one line, then one line for each call that it reads:
`{"call": "info.meta", "args": [...]}` gives `{"value": ...}` or `{"error": "OrderNotFound", "message": ...}`. The clients
themselves are as their registry gives them.
"""

import json
import sys
from functools import reduce

HEARD = []

# What a client prints of its own accord (the SDK, when a message crosses its unsubscription) is no answer.
ANSWERS, sys.stdout = sys.stdout, sys.stderr


def make_ccxt(options):
    import ccxt

    return ccxt.hyperliquid(options)


class Sdk:
    """The two objects that a user of hyperliquid-python-sdk works with, made as its documentation shows."""

    def __init__(self, options):
        import eth_account
        from hyperliquid.exchange import Exchange
        from hyperliquid.info import Info

        wallet = eth_account.Account.from_key(options["privateKey"])
        self.info = Info(options["baseUrl"], skip_ws=options["skipWs"])
        self.exchange = Exchange(wallet, options["baseUrl"], vault_address=options.get("vaultAddress"))

    @staticmethod
    def heard():
        """What the client has handed to our function so far."""
        return list(HEARD)


def argument(value):
    """The SDK takes client order ids as objects of its own: `{"cloid": "0x..."}` stands for one, and `{"callback": true}` for a
    function that keeps what it is given."""
    if value == {"callback": True}:
        return HEARD.append
    if isinstance(value, dict) and list(value) == ["cloid"]:
        from hyperliquid.utils.types import Cloid

        return Cloid.from_str(value["cloid"])
    if isinstance(value, dict):
        return {name: argument(item) for name, item in value.items()}
    return [argument(item) for item in value] if isinstance(value, list) else value


def outcome_of(action):
    try:
        return {"value": action()}
    except Exception as error:  # whatever the client raises is what the test wants to know
        return {"error": type(error).__name__, "message": str(error)}


def say(outcome):
    print(json.dumps(outcome, default=str), file=ANSWERS, flush=True)


def main(name, options):
    made = outcome_of(lambda: {"ccxt": make_ccxt, "sdk": Sdk}[name](options))
    client = made.pop("value", None)
    say(made)
    for line in sys.stdin:
        request = json.loads(line)
        say(outcome_of(lambda: reduce(getattr, request["call"].split("."), client)(*argument(request["args"]))))


main(sys.argv[1], json.loads(sys.argv[2]))
