#!/usr/bin/env python3
"""Checks an exported journal (docs/export.md) with nothing of the exchange's code: the chain of hashes, and the balance, recomputed from
the events in two ways: as cash, isolated margins and positions at entry, and as deposits + PnL - fees + funding + what the house paid.
    python3 verify_journal.py FILE      status 0: all is as it was written; 1: the first wrong line is named"""
import hashlib
import json
import re
import sys
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

LINE = re.compile(rb'\{"hash":"([0-9a-f]{64})",("(head|entry|state|end)":(.*)\})', re.DOTALL)
HUGE = re.compile(rb'"-?[0-9.]{1,400}[eE][+-]?[0-9]{4,}"')  # no amount, and more than can be computed with
WIDE = Context(prec=200, rounding=ROUND_HALF_UP)


class Wrong(Exception):
    """What a line says is not so."""


def usd(value):
    """A fraction as the exchange shows money: half up after 6 decimals, what is below a 24th decimal forgotten first."""
    return WIDE.divide(Decimal(value.numerator), Decimal(value.denominator)).quantize(Decimal("1e-24"), context=WIDE).quantize(Decimal("1e-6"), context=WIDE)


class Account:
    def __init__(self, state=None):
        self.seq, self.cash, self.positions = 0, Fraction(0), {}
        self.parts = dict.fromkeys(("deposits", "pnl", "fees", "funding", "house"), Fraction(0))
        if state is not None:
            self.seq, self.cash = state["seq"], Fraction(state["cash"])
            for one in state["positions"]:
                self.positions[one["asset"]] = [Fraction(one[name]) for name in ("signedSize", "entryNotional", "rawUsd")]
            for part, name in (("deposits", "netDepositsUsd"), ("fees", "feesUsd"), ("funding", "fundingUsd")):
                self.parts[part] = Fraction(state["totals"][name])
            self.parts["pnl"] = self.balance() - self.summed()

    def balance(self):
        return self.cash + sum((raw + (cost if size > 0 else -cost) for size, cost, raw in self.positions.values()), Fraction(0))

    def summed(self):
        return sum(self.parts.values(), Fraction(0)) - 2 * self.parts["fees"]

    def pay(self, amount, part):
        self.cash += amount
        self.parts[part] += amount

    def close(self, event):
        (size, cost, raw), value = self.positions.pop(event["asset"]), Fraction(event["usd"])
        self.parts["pnl"] += value - (cost if size > 0 else -cost)
        self.cash += raw + value

    def fill(self, event):
        amount, fee = Fraction(event["size"]), Fraction(event["fee"])
        notional, moved = Fraction(event["price"]) * amount, Fraction(event.get("marginMovedUsd", 0))
        size, cost, raw = self.positions.pop(event["asset"], (Fraction(0), Fraction(0), Fraction(0)))
        sign = 1 if event["side"] == "buy" else -1
        if size * sign >= 0:
            cost += notional
        else:  # closes at most all of it, and opens what is left
            closed = min(abs(size), amount)
            was, got = cost * closed / abs(size), notional * closed / amount
            self.parts["pnl"] -= sign * (got - was)
            cost = cost - was if abs(size) > amount else notional - got
        self.parts["fees"] += fee
        paid, after, isolated = sign * notional + fee, size + sign * amount, event["marginMode"] == "isolated"
        self.cash -= moved if isolated else paid
        raw += moved - paid if isolated else 0
        if after == 0 and raw != 0:
            raise Wrong("the isolated margin of a closed position is not used up")
        if after != 0:
            self.positions[event["asset"]] = [after, cost, raw]

    def apply(self, event):
        kind = event["type"]
        if kind in ("accountOpened", "balanceAdjusted", "transferReceived", "transferSent", "imported"):
            self.pay((-1 if kind == "transferSent" else 1) * Fraction(event.get("usd") or event["depositUsd"]), "deposits")
            for one in event.get("positions", ()):  # of an import: a part of its deposit is in them
                size, price, raw = (Fraction(one[name]) for name in ("signedSize", "entryPrice", "rawUsd"))
                self.positions[one["asset"]], self.cash = [size, abs(size) * price, raw], self.cash - size * price - raw
        elif kind == "accountReset":
            self.__init__()
            self.pay(Fraction(event["balanceUsd"]), "deposits")
        elif kind == "forked":  # what it begins with is its deposit
            self.__init__(event["state"])
            self.parts = {**dict.fromkeys(self.parts, Fraction(0)), "deposits": self.balance()}
        elif kind == "orderFilled":
            self.fill(event)
        elif kind in ("positionTakenOver", "positionClosed", "positionSettled"):
            self.close(event)
        elif kind == "liquidated":
            self.pay(Fraction(event.get("paidUsd", 0)), "house")
        elif kind in ("fundingSettled", "isolatedMarginMoved"):
            self.pay(Fraction(event["usd"]) if kind == "fundingSettled" else Fraction(0), "funding")
            moved = Fraction(event["usd"] if kind == "isolatedMarginMoved" else event.get("bucketUsd", 0))
            self.cash -= moved
            if moved != 0:
                self.positions[event["asset"]][2] += moved


def verify(data):
    account, name, chain, rows, done, broken, bare = None, None, b"", 0, False, False, False
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1] if lines[-1] == b"" else lines, 1):
        try:
            if (found := LINE.fullmatch(line)) is None or done or number == len(lines) or HUGE.search(line):
                raise Wrong("it is no whole line of a journal that goes on")
            own, body, kind = found[1], found[2], found[3].decode()
            if hashlib.sha256(chain + body).hexdigest().encode() != own:
                raise Wrong("it was changed, or does not belong behind the line before it")
            said = json.loads(found[4])
            part = said.get("continues") if kind == "head" else None
            if (kind == "head") != (account is None or part is not None) or (broken and part is None) or (bare and part is not None):
                raise Wrong("it does not belong here")
            bare = part is not None
            if part is not None and (account is None or (part["hash"].encode(), part["after_seq"]) != (chain, account.seq)):
                raise Wrong("the part does not go on where the one before it ends")
            if kind == "head":
                if (said["form"], said["version"]) != ("perpx journal", 1):
                    raise Wrong("it is of another form")
                if said.get("forms") != "1.0":
                    raise Wrong('the journal is of an unreleased build, whose forms no release reads: take a fresh one with "GET /v1/export/journal"')
                rows, broken = 0, False
                if part is not None: continue
                account, name = Account(said["state"]), said["account"]
            elif kind == "state":
                account = Account(said["snapshot"])
            elif kind == "entry":
                if (said["accountId"], said["seq"]) != (name, account.seq + 1):
                    raise Wrong("it is not the next entry of the account")
                for event in said["events"]: account.apply(event)
                account.seq, rows = said["seq"], rows + 1
                noted = said.get("equity", {}).get("balance")
                if account.balance() != account.summed() or Decimal(noted or usd(account.balance())) != usd(account.balance()):
                    raise Wrong(f"its events come to a balance of {usd(account.balance())}, not {noted}")
            else:
                if (said["rows"], said["last_seq"]) != (rows, account.seq):
                    raise Wrong("it counts other entries")
                if broken := not (done := said["complete"]): continue
                if Decimal(said["balance_usd"]) != usd(account.balance()):
                    raise Wrong(f"the events come to a balance of {usd(account.balance())}")
            chain = own
        except (Wrong, ValueError, KeyError, TypeError, ArithmeticError, AttributeError, RecursionError) as why:
            return f"line {number}: {why or type(why).__name__}", account
    return None if done else f"line {len(lines)}: the end is missing", account


if __name__ == "__main__":
    fault, result = verify(open(sys.argv[1], "rb").read())
    if fault is not None:
        sys.exit(fault)
    print("balance_usd", usd(result.balance()), *(f"{part} {usd(value)}" for part, value in result.parts.items()))
