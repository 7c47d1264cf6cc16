// An account is opened, closed and reset, and drops old history.
import { Decimal, halfUp, toWire } from '../../../shared/domain/decimal.ts';
import type { IdSource } from '../../../shared/domain/shards.ts';
import type { Account, Position } from '../account/account.ts';
import { refused } from '../checks/checkAction.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { ORDER_IDS_PER_BUCKET } from '../history/historyDocuments.ts';
import { countRows } from '../history/rowsOfEvents.ts';
import { checkLiquidation } from '../liquidation/checkLiquidation.ts';
import { payPendingFunding } from '../liquidation/payFunding.ts';
import { wholePosition } from '../margin/position.ts';
import { valuationOf } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';
import { ENDED_BY_RESET, HISTORY_KINDS, type HistoryKind, NO_ROWS, ROWS_PER_BUCKET } from '../messages/historyRows.ts';
import { allOpenOrders, endOrders, endTwaps } from '../orders/endOrders.ts';

/** The first command of an account: it opens the account with its first deposit. Repeating it changes nothing. */
export function openAccount(account: Account, { depositUsd }: Extract<AccountCommand, { type: 'openAccount' }>): Decision {
  const events = account.openedAtMs > 0 ? [] : [{ type: 'accountOpened', depositUsd } as const];
  return { events, outcome: { type: 'accountOpened' }, requests: 0 };
}

/**
 * Closes an account for good, or until its owner comes back: all that is open ends, the account leaves memory, and
 * cash and history stay. Liquidations come first, or an isolated position could lose more than its margin.
 */
export function closeAccount(account: Account, context: Context): Decision {
  const draft = new Draft(account, context);
  checkLiquidation(draft, context);
  closeEverything(draft, context, { dropFunding: false });
  if (draft.account.lab !== undefined && draft.account.lab.waiting.length > 0) draft.record({ type: 'delayedActionsDropped' });
  return draft.decision({ type: 'done' }, 0);
}

// Resets an account: all that was open ends, which is told and leaves no row, the history is dropped, and cash is the current balance of
// the plan. Rows continue in a new bucket document and ids beyond all documents of ended orders, so dropped rows
// share no document with later ones.

/** An account of the plan pro has the plan's credit with its balance. */
export function resetAccount(
  account: Account,
  { plan, balanceUsd }: Extract<AccountCommand, { type: 'resetAccount' }>,
  context: Context,
): Decision {
  const draft = new Draft(account, context);
  closeEverything(draft, context, { dropFunding: true });
  const { cash, rowCounts } = draft.account;
  const told = countRows(draft.decided);
  const ended = ENDED_BY_RESET.filter((kind) => told[kind] > 0);
  const balance = new Decimal(balanceUsd);
  leaveDocument(context.ids);
  forgetTaken(draft);
  draft.record({
    type: 'accountReset',
    balanceUsd: balance.toString(),
    withdrawnUsd: cash.toString(),
    firstRows: nextBuckets(rowCounts),
    ...(ended.length > 0 && { lastSeqs: { ...NO_ROWS, ...Object.fromEntries(ended.map((kind) => [kind, account.seq + 1])) } }),
    ...(plan === 'pro' && { isPlanCredited: true }),
  });
  const changeUsd = toWire(balance.minus(cash));
  return draft.decision({ type: 'balanceChanged', balanceUsd: toWire(balance), changeUsd }, 0);
}

/** What was taken from books is forgotten: the account begins with nothing behind it. */
function forgetTaken(draft: Draft): void {
  // In the order of a snapshot, so that an account that was loaded from one decides the same to the letter.
  for (const [asset, sides] of [...draft.account.consumption].sort(([a], [b]) => a - b)) {
    for (const bookSide of ['bid', 'ask'] as const) {
      const levels = [...sides[bookSide]].map(([price, { lastFillFeedTimeMs }]) => [price, '0', lastFillFeedTimeMs] as const);
      levels.sort(([a], [b]) => (a < b ? -1 : 1));
      if (levels.length > 0) draft.record({ type: 'consumptionSet', asset, bookSide, levels });
    }
  }
}

/** Numbers of the first rows of the first empty buckets. */
function nextBuckets(rowCounts: Account['rowCounts']): Record<HistoryKind, number> {
  const first = { ...NO_ROWS };
  for (const kind of HISTORY_KINDS) first[kind] = Math.ceil(rowCounts[kind] / ROWS_PER_BUCKET) * ROWS_PER_BUCKET;
  return first;
}

/** Uses up the ids whose orders would end in the same document as those of before. */
function leaveDocument(ids: IdSource): void {
  const documentOf = (id: number): number => Math.floor(id / ORDER_IDS_PER_BUCKET);
  const last = documentOf(ids.next());
  while (documentOf(ids.next()) === last);
}

// Ends everything that is open in an account: orders, TWAPs, the dead man's switch, pending funding, positions. A
// market order is not possible for every position (the book may be empty or old), so positions are closed at their
// marks. The house takes them over at that value, without a fee, as the venue settles delisted coins.

/** Decimals of a mark; an entry price, which replaces an unknown mark, may have more. */
const PRICE_DECIMALS = 10;

/** @param options.dropFunding hours without a known rate are dropped; else they are paid when it is known */
function closeEverything(draft: Draft, context: Context, { dropFunding }: { readonly dropFunding: boolean }): void {
  endOrders(draft, () => true, 'canceled');
  endTwaps(draft, () => true, { status: 'terminated' });
  if (draft.account.scheduledCancel.dueMs !== undefined) draft.record({ type: 'cancelScheduled' });
  payPendingFunding(draft, context, { drop: dropFunding });
  for (const position of [...draft.account.positions.values()].sort((a, b) => a.asset - b.asset)) close(draft, position, context);
}

function close(draft: Draft, position: Position, { ids, market }: Context): void {
  const { signedSize } = position;
  const price = halfUp(valuationOf(position, market).markPrice, PRICE_DECIMALS);
  const leaving = { price, usd: price.times(signedSize), direction: signedSize.isPos() ? 'Close Long' : 'Close Short' };
  draft.record({ type: 'positionClosed', ...wholePosition(position, leaving, { ids, market, place: draft.place }) });
}

// Drops rows that are too old, in whole bucket documents: from here on no reader sees them, and the history writer
// removes the documents. Rows that explain something still open stay, however old they are.

const STILL_OPEN = 'What was opened before that time is still open.';

/** A start before the one there is changes nothing: another command, or a reset, was further. */
export function dropHistory(
  account: Account,
  { beforeMs, firstRows, lastSeqs, seq }: Extract<AccountCommand, { type: 'forgetHistory' }>,
): Decision {
  const { historyStart, rowCounts } = account;
  const gone = lastSeqs ?? historyStart.lastSeqs;
  if (beforeMs > neededFromMs(account)) return refused(STILL_OPEN, 0);
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
