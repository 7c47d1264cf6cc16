// What a view holds in memory, as `bench/viewMemory.ts` measures it: the account's state with what the rules remember of it and
// the answers made of it.
import type { Account } from '../../../actors/core/account/account.ts';

/** A flat account that has never traded, with its place among the views. */
const BASE = 8000;
/** A position with its valuation and its part of the answers. */
const POSITION = 3200;
/** An order on the book or beside it, with its text in two answers. */
const ORDER = 1300;
/** An entry of any other map: leverage of a coin, paid funding, a level taken from, a command id, a day's volume. */
const ENTRY = 500;

/** Bytes of a view of the account. */
export function bytesOfView(account: Account): number {
  const { positions, orders, triggers, twaps, leverage, funding, commandIds, consumption, totals } = account;
  let entries = twaps.size + leverage.size + funding.size + commandIds.size + consumption.size + totals.dailyVolumes.length;
  for (const { bid, ask } of consumption.values()) entries += bid.size + ask.size;
  return BASE + POSITION * positions.size + ORDER * (orders.size + triggers.size) + ENTRY * entries;
}

/** An answer that is given again, with what was read of the market for it. The usual ones are in the figures above. */
const ANSWER = 900;
const USUAL_ANSWERS = 3;

/** Bytes of so many remembered answers. */
export const bytesOfAnswers = (answers: number): number => ANSWER * Math.max(0, answers - USUAL_ANSWERS);

/** A row of an account's past that is kept, with its text in an answer. */
const ROW = 900;

/** Bytes of rows that are kept beside a view. */
export const bytesOfRows = (rows: number): number => ENTRY + ROW * rows;
