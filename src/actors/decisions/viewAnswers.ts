// Gives an account away, for an API node to answer questions about it by itself: its whole state, and what tells the node for
// how long that is the account of now. The version is that of the very state in the answer: the draft that publishes the answer
// writes it, and a later event of the same draft takes it out again.
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { Account } from '../domain/account/account.ts';
import { toSnapshot } from '../domain/account/snapshot.ts';
import type { SentReply } from '../domain/messages/envelopeForm.ts';
import type { Outcome } from '../domain/messages/outcome.ts';
import type { Versions } from '../residents/versions.ts';
import type { Rules } from './rules.ts';

/** Characters of a state that is given away: a thousand open orders. A longer one costs more to carry than its questions cost. */
const STATE_CHARS_MAX = 500_000;

/** @param outcome what the rules answered, without the view */
export function withView(
  outcome: Outcome,
  account: Account,
  { token, rules, versions }: { readonly token: string; readonly rules: Rules; readonly versions: Versions },
  draft: CommitDraft,
): SentReply {
  if (outcome.type !== 'answer' || !versions.mayBeGiven(account.id)) return { outcome };
  const state = toSnapshot(account, draft.format);
  if (state.length > STATE_CHARS_MAX) return { outcome };
  versions.give(account, draft);
  const view = { token, nextDueMs: rules.nextDueMs(account) ?? null, state: {} };
  return {
    outcome: { ...outcome, seq: account.seq, answer: { kind: 'accountView', view } },
    texts: { field: 'state', value: state },
  };
}
