// Forks of accounts: reads the state that one is to begin with, and begins those that their master has made. An API node does both, in turns
// with other long reads, so no owner of a shard folds a past. A fork is made in two steps, each of which may come again: the master's
// journal says that there is one and of which state, then the sub-account begins with it. A node that lists the user's
// accounts after another has died in between begins it (docs/adr/0024-forks.md).
import type { Account } from '../../actors/core/account/account.ts';
import { toSnapshot } from '../../actors/core/account/accountCodec.ts';
import type { CommandOf } from '../../actors/core/fold/pipeline.ts';
import { balanceOf } from '../../actors/core/margin/margin.ts';
import type { ForkOrigin } from '../../actors/core/messages/command.ts';
import { breakOver, CannotRebuild } from '../../actors/core/rebuildAccount.ts';
import type { Rules } from '../../actors/core/rules.ts';
import { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import { type AccountGateway, openAccount } from '../../api/accounts/accountGateway.ts';
import { keptEntries } from '../../api/accounts/keptJournal.ts';
import { askWithSeq, type Call } from '../../api/accounts/services.ts';
import { ArchiveDamaged } from '../../shared/archive/archiveReader.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { Decimal } from '../../shared/domain/decimal.ts';
import type { FormatSource } from '../../shared/domain/formats.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { entryAtTime, keptJournalOf, unhurried } from './keptJournal.ts';

/** Text of a state that a fork may begin with: it goes through a mailbox and stands in one journal entry. */
const STATE_CHARS_MAX = 1024 * 1024;
/** A rebuild folds a thousand entries or two. One at a time leaves a node's time to trading. */
const TURNS = { atOnce: 1, atOnceOfUser: 1, waiting: 64, waitingOfUser: 2 };

/** The entry that a fork is to begin after. */
export type ForkPlace = { readonly seq: number } | { readonly timeMs: number };

/** A state that a fork can begin with. */
export interface ForkableState {
  readonly origin: ForkOrigin;
  readonly timeMs: number;
  readonly balanceUsd: Decimal;
  readonly snapshot: string;
}

interface ForksParts {
  readonly gateway: AccountGateway;
  readonly mongo: MongoConnection;
  readonly formats: Pick<FormatSource, 'current'>;
  readonly log: Logger;
  readonly rules: Pick<Rules, 'rebuildAccount'>;
}

export class Forks {
  readonly #parts: ForksParts;
  readonly #turns = new ReadingTurns(TURNS);

  constructor(parts: ForksParts) {
    this.#parts = parts;
  }

  /**
   * The state of the call's account as of an entry.
   * @throws {RequestError} 400 `unknown_seq` for an entry that there is not yet, `seq_forgotten` for one that is not kept, with the first
   *   that is possible, or counts no more; 413 `fork_too_large`; 429, 503
   */
  read(call: Call, place: ForkPlace): Promise<ForkableState> {
    return this.#turns.run(call.caller.userId, () => this.#read(call, place));
  }

  /**
   * Begins the call's account, a sub-account that was made as a fork, unless it has begun.
   * @param known its state, where it was read just now
   * @returns false when it is, or is now, something else: it was reset, or its state was not to be had any more
   * @throws {RequestError} as the gateway does, and 503
   */
  async begin(call: Call, origin: ForkOrigin, known?: ForkableState): Promise<boolean> {
    const { gateway, log } = this.#parts;
    const { caller, requestId, trace } = call;
    const state = known ?? (await this.#readUnlessBegun(call, origin));
    if (state === 'begun') return true;
    if (state?.origin.hash !== origin.hash) {
      log.warn({ accountId: caller.accountId, ...origin }, 'the state of a fork is gone before it began: it is opened empty');
      await openAccount(gateway, caller.accountId, { requestId, trace, opensEmpty: true });
      return false;
    }
    // Before it begins, so that no command of the source can come between: until then they wait there.
    if (origin.terms !== undefined) await this.#addWhatIf(call, origin);
    const begun = await this.#send(call, caller.accountId, { type: 'beginFork', ...origin, state: JSON.parse(state.snapshot) });
    return begun.type === 'done';
  }

  /** Where the source has as many as it may by now, the what-if goes on without its commands. */
  async #addWhatIf(call: Call, { of }: ForkOrigin): Promise<void> {
    const { accountId: to } = call.caller;
    const added = await this.#send(call, of, { type: 'addMirror', to });
    if (added.type === 'refused') this.#parts.log.warn({ accountId: to, of, text: added.text }, 'a what-if receives no commands');
  }

  async #send({ requestId, trace }: Call, accountId: string, command: CommandOf<'beginFork' | 'addMirror'>) {
    const outcome = await this.#parts.gateway.send(accountId, command, { requestId, trace, staysUnopened: true });
    assert(outcome.type === 'done' || outcome.type === 'refused', `${command.type} is answered by ${outcome.type}`);
    return outcome;
  }

  /** @returns undefined when the state cannot be had any more */
  async #readUnlessBegun(call: Call, { of, seq }: ForkOrigin): Promise<ForkableState | 'begun' | undefined> {
    const { caller, requestId, trace } = call;
    const summary = { type: 'query', query: { kind: 'summary' } } as const;
    const options = { requestId, trace, staysUnopened: true } as const;
    // Not `ask`: a question opens an account that was never opened, and this one is to begin with the state.
    const probe = await this.#parts.gateway.send(caller.accountId, summary, options);
    if (probe.type !== 'unknownAccount') return 'begun';
    const source = { ...call, caller: { ...caller, accountId: of, address: of } };
    try {
      return await this.read(source, { seq });
    } catch (error) {
      if (error instanceof RequestError && error.code === 'seq_forgotten') return undefined;
      throw error;
    }
  }

  async #read(call: Call, place: ForkPlace): Promise<ForkableState> {
    const { gateway, mongo, formats, rules } = this.#parts;
    const { accountId } = call.caller;
    const { seq: newest } = await askWithSeq(call, { gateway }, { kind: 'summary' });
    const journal = await keptJournalOf({ services: { gateway }, mongo }, call);
    const { reader, states, base } = journal;
    const first = Math.max(1, base?.seq ?? 1);
    const seq = 'seq' in place ? place.seq : await entryAtTime({ journal, from: first, to: newest }, place.timeMs);
    if (seq === undefined) throw forgotten(first, 'No entry of that time or before is kept.');
    if (seq > newest) throw new RequestError(400, 'unknown_seq', `seq is ${seq}, but the account is at ${newest}.`);
    if (seq < first) throw forgotten(first);
    const without = breakOver(states, seq);
    if (without !== undefined) throw forgotten(without.seq, `Entry ${seq} counts no more.`);
    const past = {
      states,
      snapshot: reader.snapshot.bind(reader),
      entries: (from: number, to: number) => unhurried(keptEntries(journal, from, to)),
    };
    const account = await rebuilt(() => rules.rebuildAccount(past, accountId, seq));
    const snapshot = toSnapshot(account, formats.current);
    if (snapshot.length > STATE_CHARS_MAX) {
      const text = `The state has ${snapshot.length} characters; one of at most ${STATE_CHARS_MAX} can be forked.`;
      throw new RequestError(413, 'fork_too_large', text);
    }
    const origin = { of: accountId, seq, hash: stateHashOf(account) };
    return { origin, timeMs: account.timeMs, balanceUsd: balanceOf(account), snapshot };
  }
}

/** What a rebuild failed of: only what is wrong with the archive itself will not be otherwise later. */
async function rebuilt(rebuild: () => Promise<{ readonly account: Account }>): Promise<Account> {
  try {
    return (await rebuild()).account;
  } catch (error) {
    if (!(error instanceof CannotRebuild)) throw error;
    const { cause } = error;
    if (cause === undefined || cause instanceof CannotRebuild || cause instanceof ArchiveDamaged)
      throw new RequestError(400, 'seq_forgotten', error.message);
    throw cause;
  }
}

const forgotten = (first: number, why = 'The entry is no longer kept.'): RequestError =>
  new RequestError(400, 'seq_forgotten', `${why} The first that is possible is ${first}.`);
