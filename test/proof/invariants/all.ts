// The list of all invariants that are checked in every random life.
import type { Invariant } from '../life.ts';
import { EVENTS } from './events.ts';
import { LIQUIDATION } from './liquidation.ts';
import { MARGIN } from './margin.ts';
import { MEMORY } from './memory.ts';
import { MONEY } from './money.ts';
import { ORDERS } from './orders.ts';
import { ROUND_TRIPS } from './roundTrips.ts';
import { SECOND_BOOKKEEPING } from './secondBookkeeping.ts';
import { TIME } from './time.ts';
import { TRIGGERS } from './triggers.ts';

export const INVARIANTS: readonly Invariant[] = [
  ...MONEY,
  ...ORDERS,
  ...MARGIN,
  ...LIQUIDATION,
  ...MEMORY,
  ...TIME,
  ...TRIGGERS,
  EVENTS,
  ROUND_TRIPS,
  SECOND_BOOKKEEPING,
];
