// Invariants about what an account does without a command: TWAP slices, the dead man's switch, funding.

import { sliceTimeMs } from '../../../src/actors/core/account/twap.ts';
import type { AccountEvent } from '../../../src/actors/core/messages/event.ts';
import { utcDay } from '../../../src/shared/domain/calendar.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';
import { demand, same } from '../facts.ts';
import type { Invariant } from '../life.ts';

const FIRINGS_MAX = 10;

export const TIME: readonly Invariant[] = [
  {
    name: 'invariant 25',
    says: 'a TWAP gets at most its size, in at most its number of slices, each at most three normal ones and a lot, none early',
    watch: () => {
      const started = new Map<number, Extract<AccountEvent, { type: 'twapStarted' }>>();
      const waiting = new Set<number>();
      const executed = new Map<number, Decimal>();
      return ({ entries, market, account }) => {
        for (const { events, timeMs } of entries) {
          const inTurn = new Map<number, Decimal>();
          for (const event of events) {
            if (event.type === 'twapStarted') {
              started.set(event.twap.twapId, event);
              if (event.isWaiting) waiting.add(event.twap.twapId);
            }
            if (event.type === 'twapTriggered') {
              demand(waiting.delete(event.twap.twapId), `TWAP ${event.twap.twapId} did not wait`);
              started.set(event.twap.twapId, {
                ...(started.get(event.twap.twapId) ?? raise('never begun')),
                ...event,
                type: 'twapStarted',
              });
            }
            if (event.type === 'orderFilled' && event.twapId !== undefined) {
              inTurn.set(event.twapId, (inTurn.get(event.twapId) ?? ZERO).plus(event.size));
              executed.set(event.twapId, (executed.get(event.twapId) ?? ZERO).plus(event.size));
            }
            if (event.type !== 'twapSliced') continue;
            demand(!waiting.has(event.twapId), `TWAP ${event.twapId} sent a slice while it waited`);
            const { twap, slices, seed } = started.get(event.twapId) ?? raise(`slice of an unknown TWAP ${event.twapId}`);
            demand(event.slice < slices, `slice ${event.slice} of ${slices}`);
            demand(timeMs >= sliceTimeMs({ ...twap, slices, seed, nextSlice: 0 }, event.slice), `slice ${event.slice} is early`);
            const lot = new Decimal(10).pow(-(market.asset(twap.asset)?.sizeDecimals ?? 0));
            const most = new Decimal(twap.size).times(3).div(slices).plus(lot);
            const got = inTurn.get(event.twapId) ?? ZERO;
            demand(got.lte(most), `slice ${event.slice} got ${got.toString()} of at most ${most.toString()}`);
            inTurn.delete(event.twapId);
          }
        }
        for (const [twapId, size] of executed) {
          demand(size.lte(started.get(twapId)?.twap.size ?? 0), `TWAP ${twapId} got ${size.toString()}`);
          const running = account.twaps.get(twapId);
          if (running) same(running.executedSize, size, `executed size of TWAP ${twapId}`);
        }
      };
    },
  },
  {
    name: 'invariant 26',
    says: 'a scheduled cancel leaves no order that was open, at its time or later, and fires at most ten times a UTC day',
    watch: () => {
      const firings = new Map<string, number>();
      const open = new Set<number>();
      let dueMs: number | undefined;
      return ({ entries, account }) => {
        for (const { events, timeMs } of entries) {
          let mustEnd: readonly number[] = [];
          for (const event of events) {
            if (event.type === 'orderRested' || event.type === 'triggerPlaced') open.add(event.order.oid);
            if (event.type === 'orderEnded') open.delete(event.order.oid);
            if (event.type === 'cancelScheduled') dueMs = event.dueMs;
            if (event.type !== 'scheduledCancelFired') continue;
            demand(dueMs !== undefined && dueMs <= timeMs, `fired at ${timeMs} though due at ${dueMs}`);
            dueMs = undefined;
            mustEnd = [...open];
            const day = utcDay(timeMs);
            firings.set(day, (firings.get(day) ?? 0) + 1);
            demand((firings.get(day) ?? 0) <= FIRINGS_MAX, `${firings.get(day)} firings on ${day}`);
          }
          const left = mustEnd.filter((oid) => open.has(oid));
          demand(left.length === 0, `orders ${left.join()} are open after the switch has fired`);
        }
        same([...account.orders.keys(), ...account.triggers.keys()].sort().join(), [...open].sort().join(), 'open orders');
      };
    },
  },
];

function raise(why: string): never {
  throw new Error(why);
}
