// Resets an account: all that was open ends, which is told and leaves no row, the history is dropped, and cash is the current balance of
// the plan. Rows continue in a new bucket document and ids beyond all documents of ended orders, so dropped rows
// share no document with later ones.
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import type { IdSource } from '../../../shared/domain/ids.ts';
import type { Account } from '../account/account.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { ORDER_IDS_PER_BUCKET } from '../history/historyDocuments.ts';
import { countRows } from '../history/rowsOfEvents.ts';
import { closeEverything } from '../liquidation/closeEverything.ts';
import { type AccountCommand, HISTORY_KINDS, type HistoryKind } from '../messages/command.ts';
import { ENDED_BY_RESET, noRows, ROWS_PER_BUCKET } from '../messages/historyRows.ts';

/** An account of the plan pro has the plan's credit with its balance. */
export function resetAccount(
  account: Account,
  { plan, balanceUsd }: Extract<AccountCommand, { type: 'resetAccount' }>,
  context: Context,
): Decision {
  const draft = new Draft(account, context.nowMs);
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
    ...(ended.length > 0 && { lastSeqs: { ...noRows(), ...Object.fromEntries(ended.map((kind) => [kind, account.seq + 1])) } }),
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
  const first = noRows();
  for (const kind of HISTORY_KINDS) first[kind] = Math.ceil(rowCounts[kind] / ROWS_PER_BUCKET) * ROWS_PER_BUCKET;
  return first;
}

/** Uses up the ids whose orders would end in the same document as those of before. */
function leaveDocument(ids: IdSource): void {
  const documentOf = (id: number): number => Math.floor(id / ORDER_IDS_PER_BUCKET);
  const last = documentOf(ids.next());
  while (documentOf(ids.next()) === last);
}
