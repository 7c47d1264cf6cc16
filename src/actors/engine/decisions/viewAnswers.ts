// Gives an account away, for an API node to answer questions about it by itself: its whole state, and what tells the node for
// how long that is the account of now. The version is that of the very state in the answer: the draft that publishes the answer
// writes it, and a later entry of the same draft takes it out again, or is told to the nodes that follow the account.

import type { Account } from '../../core/account/account.ts';
import { toSnapshot } from '../../core/account/snapshot.ts';
import type { CommandEnvelope } from '../../core/messages/envelope.ts';
import { type SentReply, writeFollowed } from '../../core/messages/envelopeForm.ts';
import type { Outcome } from '../../core/messages/outcome.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import { TOLD_CHARS_MAX, type Versions } from '../residents/versions.ts';
import type { Rules } from './rules.ts';

/** Characters of a state that is given away: a thousand open orders. A longer one costs more to carry than its questions cost. */
const STATE_CHARS_MAX = 500_000;

interface ViewParts {
  /** Owner of versions, as `openShard` has named it. */
  readonly token: string;
  readonly rules: Pick<Rules, 'nextDueMs'>;
  readonly versions: Versions;
}

/** @param outcome what the rules answered, without the view */
export function withView(
  outcome: Outcome,
  account: Account,
  { command, replyTo }: Pick<CommandEnvelope, 'command' | 'replyTo'>,
  { token, rules, versions }: ViewParts,
  draft: CommitDraft,
): SentReply {
  if (outcome.type !== 'answer' || !versions.mayBeGiven(account.id)) return { outcome };
  const state = toSnapshot(account, draft.format);
  if (state.length > STATE_CHARS_MAX) return { outcome };
  const isFollowed = command.type === 'query' && command.query.kind === 'accountView' && command.query.follows === true;
  versions.give(account, draft, isFollowed ? replyTo : undefined);
  const view = { token, nextDueMs: rules.nextDueMs(account) ?? null, state: {} };
  return {
    outcome: { ...outcome, seq: account.seq, answer: { kind: 'accountView', view } },
    texts: { field: 'state', value: state },
  };
}

/** The account has a new entry: its views go on to that, or end. @param entry as it is journaled */
export function followEntry(account: Account, entry: string, { token, rules, versions }: ViewParts, draft: CommitDraft): void {
  if (!versions.isGiven(account.id)) return;
  const { format } = draft;
  const isTold = entry.length <= TOLD_CHARS_MAX;
  const told = { token, entry, nextDueMs: rules.nextDueMs(account) ?? null };
  versions.onEntry(account, isTold ? (node) => writeFollowed(node, told, format) : undefined, draft);
}
