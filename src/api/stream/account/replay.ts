// What an account did after an entry that a client knows: newer entries from the journal, as long as the owner holds
// them, and older ones from MongoDB. No entry is left out: a request that cannot be answered completely is refused.
import type { HistoryKind } from '../../../actors/domain/messages/command.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { Call } from '../../accounts/services.ts';
import type { AccountAnswers } from './accountAnswers.ts';
import { type AccountUpdate, toUpdate } from './accountUpdate.ts';

/** Rows of one kind, and entries, that one replay may have. Clients read more by time, from `info`. */
const REPLAY_MAX = 10_000;
/** Rows of all kinds together: an entry of many orders has thousands. */
const ROWS_MAX = 30_000;

export interface Replayed {
  /** Updates with rows of the requested kinds, by rising sequence number. */
  readonly updates: readonly AccountUpdate[];
  /** Sequence number of the newest entry included. */
  readonly seq: number;
}

/**
 * @throws {RequestError} 400 `unknown_seq` for a number that the account has not reached, `seq_forgotten` when history does
 *   not go back so far, `replay_too_long`; the gateway's errors otherwise
 */
export async function replay(
  answers: AccountAnswers,
  call: Call,
  { kinds, afterSeq }: { kinds: readonly HistoryKind[]; afterSeq: number },
): Promise<Replayed> {
  const updates: AccountUpdate[] = [];
  let after = afterSeq;
  let rows = 0;
  for (;;) {
    const { seq, entries, firstSeq, lastGoneSeqs } = await answers.entries(call, after);
    requireReached(after, seq);
    const fromMongo = async (toSeq: number): Promise<void> => {
      if (after >= toSeq) return;
      const firstTold = Math.max(firstSeq, ...kinds.map((kind) => lastGoneSeqs[kind] + 1));
      if (after + 1 < firstTold) {
        throw new RequestError(400, 'seq_forgotten', `Nothing before seq ${firstTold} can be replayed: history begins there.`);
      }
      updates.push(...(await storedUpdates(answers, call, { kinds, afterSeq: after, toSeq })));
      after = toSeq;
    };
    for (const entry of entries) {
      await fromMongo(entry.seq - 1);
      const wanted = toUpdate(entry).rows.filter(({ kind }) => kinds.includes(kind));
      rows += wanted.length;
      if (wanted.length > 0) updates.push({ seq: entry.seq, rows: wanted });
      after = entry.seq;
    }
    if (entries.length === 0) await fromMongo(seq);
    if (updates.length > REPLAY_MAX || rows > ROWS_MAX) throw tooLong();
    if (after >= seq) return { updates, seq: after };
  }
}

/** @throws {RequestError} 400 `unknown_seq` for a number that the account, which is at `seq`, has not reached */
export function requireReached(fromSeq: number, seq: number): void {
  if (fromSeq > seq) throw new RequestError(400, 'unknown_seq', `fromSeq is ${fromSeq}, but the account is at ${seq}.`);
}

/** Rows of several kinds, grouped again by entry. */
async function storedUpdates(
  answers: AccountAnswers,
  { caller }: Call,
  { kinds, afterSeq, toSeq }: { kinds: readonly HistoryKind[]; afterSeq: number; toSeq: number },
): Promise<AccountUpdate[]> {
  const bySeq = new Map<number, AccountUpdate['rows'][number][]>();
  for (const kind of kinds) {
    const stored = await answers.history.stored(caller.accountId, kind, { afterSeq, toSeq, limit: REPLAY_MAX });
    if (stored.length >= REPLAY_MAX) throw tooLong();
    for (const { seq, row } of stored) {
      const rows = bySeq.get(seq);
      if (rows === undefined) bySeq.set(seq, [row]);
      else rows.push(row);
    }
  }
  return [...bySeq].sort(([a], [b]) => a - b).map(([seq, rows]) => ({ seq, rows }));
}

const tooLong = (): RequestError =>
  new RequestError(400, 'replay_too_long', 'Too many changes have been missed: read them from info, by time.');
