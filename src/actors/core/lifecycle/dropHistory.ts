// Drops rows that are too old, in whole bucket documents: from here on no reader sees them, and the history writer
// removes the documents. Rows that explain something still open stay, however old they are.
import type { Account } from '../account/account.ts';
import type { Decision } from '../fold/decision.ts';
import { type AccountCommand, HISTORY_KINDS } from '../messages/command.ts';
import { allOpenOrders } from '../orders/endOrders.ts';

const STILL_OPEN = 'What was opened before that time is still open.';

/** A start before the one there is changes nothing: another command, or a reset, was further. */
export function dropHistory(
  account: Account,
  { beforeMs, firstRows, lastSeqs, seq }: Extract<AccountCommand, { type: 'forgetHistory' }>,
): Decision {
  const { historyStart, rowCounts } = account;
  const gone = lastSeqs ?? historyStart.lastSeqs;
  if (beforeMs > neededFromMs(account)) return { events: [], outcome: { type: 'refused', text: STILL_OPEN }, requests: 0 };
  const isKnown = HISTORY_KINDS.every(
    (kind) => firstRows[kind] >= historyStart.firstRows[kind] && firstRows[kind] <= rowCounts[kind],
  );
  const isFurther = isKnown && HISTORY_KINDS.some((kind) => firstRows[kind] > historyStart.firstRows[kind]);
  return {
    events: isFurther
      ? [{ type: 'historyForgotten', firstRows, seq: Math.max(seq, historyStart.seq), ...(gone && { lastSeqs: gone }) }]
      : [],
    outcome: { type: 'done' },
    requests: 0,
  };
}

/** Time from which on rows are needed: the opening of the oldest open position, order or TWAP, ms. */
export function neededFromMs(account: Account): number {
  let fromMs = Number.POSITIVE_INFINITY;
  for (const asset of account.positions.keys()) fromMs = Math.min(fromMs, account.funding.get(asset)?.openedAtMs ?? 0);
  for (const { placedAtMs } of allOpenOrders(account)) fromMs = Math.min(fromMs, placedAtMs);
  for (const { startedAtMs } of account.twaps.values()) fromMs = Math.min(fromMs, startedAtMs);
  return fromMs;
}
