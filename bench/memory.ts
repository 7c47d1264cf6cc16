// The memory of an account with 10 positions and 20 open orders in an actor: its state, its place among the residents
// and in the order index, as recovery makes them. `node --expose-gc --import tsx bench/memory.ts`

import { type Account, emptyAccount } from '../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../src/actors/core/account/accountCodec.ts';
import { toEntry } from '../src/actors/core/fold/recordEntry.ts';
import type { AccountEvent } from '../src/actors/core/messages/event.ts';
import { OrderIndex } from '../src/actors/engine/index/orderIndex.ts';
import { Residents } from '../src/actors/engine/memory/residents.ts';
import { applyEntry } from '../src/features/rules.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { newestFormats } from '../test/support/formats.ts';
import { accountIds } from './support/accounts.ts';

const ACCOUNTS = 2000;
const POSITIONS = 10;
const ORDERS = 20;
const TIME_MS = 1_700_000_000_000;

const { gc } = globalThis;
if (!gc) throw new Error('run with --expose-gc');
let oid = 0;
const snapshots = accountIds(ACCOUNTS).map((id) => toSnapshot(tradedAccount(id), NEWEST_FORMAT));
gc();
const before = process.memoryUsage().heapUsed;
const residents = new Residents({ live: new Set(), committed: 0, formats: newestFormats });
const index = new OrderIndex();
for (const text of snapshots) {
  const account = fromSnapshot(text);
  residents.admit(account, [], TIME_MS);
  index.add(account);
}
gc();
const bytes = Math.round((process.memoryUsage().heapUsed - before) / ACCOUNTS);
if (residents.size !== ACCOUNTS || index.size !== ACCOUNTS * ORDERS) throw new Error('not all of it is in memory');
console.log(JSON.stringify({ memory: { positions: POSITIONS, openOrders: ORDERS, bytesPerAccount: bytes } }));

function tradedAccount(id: string): Account {
  const fills = Array.from({ length: POSITIONS }, (_, asset) => filled(asset));
  const rests = Array.from({ length: ORDERS }, (_, n) => rested(n % POSITIONS, `${90 - n}.25`));
  const events: AccountEvent[] = [{ type: 'accountOpened', depositUsd: '1000000' }, ...fills, ...rests];
  const command = { incarnation: 'api-0.0123abcd', counter: 1 };
  const account = emptyAccount(id);
  return applyEntry(account, toEntry(account, { timeMs: TIME_MS, command, events }));
}

function filled(asset: number): AccountEvent {
  oid += 1;
  const order = { oid, tid: oid, asset, coin: `COIN${asset}`, side: 'buy', price: '100.37', size: '1.23' } as const;
  const numbers = { fee: '0.055553', closedPnl: '0', startPosition: '0', direction: 'Open Long' } as const;
  return { type: 'orderFilled', ...order, ...numbers, liquidity: 'taker', marginMode: 'cross', leverage: 20, evidence: {} };
}

function rested(asset: number, limitPrice: string): AccountEvent {
  oid += 1;
  const size = { size: '1.25', originalSize: '1.25', filledSize: '0' };
  const named = { oid, cloid: `0x${oid.toString(16).padStart(32, '0')}`, asset, coin: `COIN${asset}` };
  return {
    type: 'orderRested',
    order: { ...named, side: 'buy', limitPrice, ...size, reduceOnly: false, timeInForce: 'gtc', placedAtMs: TIME_MS },
    resting: { ahead: '12.5', acceptedFeedTimeMs: TIME_MS, acceptedTick: '1700000000000-0' },
  };
}
