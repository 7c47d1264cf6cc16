// Halted accounts: operators see them, bring them back, and give up entries that cannot be folded.

import { type TObject, Type } from '@sinclair/typebox';
import type { LastGoodState } from '../../actors/core/fold/foldAccount.ts';
import type { AccountEntry } from '../../actors/core/messages/entry.ts';
import { Address, Count, exactly, IsoTime, orNull } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import {
  endHalt,
  type FoldedFromStores,
  foldFromStores,
  type HaltedAccount,
  haltedAccounts,
  toHaltedRow,
} from './haltedAccounts.ts';
import { operatorAct, operatorLook } from './operatorAct.ts';
import { columns, type OperatorParts, onlyWord, Refused, Unknown } from './operatorParts.ts';
import { MAY_BE_UNKNOWN } from './page.ts';

interface FoundHalted {
  readonly account: HaltedAccount;
  readonly folded: FoldedFromStores;
}

interface Recoverable {
  readonly account: HaltedAccount;
  readonly lastGood: LastGoodState;
}

/** A halted account with what can be made of it. @throws {Unknown} when the account is not halted */
async function requireHaltedAccount(parts: OperatorParts, accountId: string): Promise<FoundHalted> {
  const account = (await haltedAccounts(parts)).find((one) => one.accountId === accountId.toLowerCase());
  if (account === undefined) throw new Unknown(`The account ${accountId} is not halted.`);
  return { account, folded: await foldFromStores(parts, account) };
}

/** A halted account with the state that it can go on from. @throws {Refused} when that cannot be made */
async function requireLastGood(parts: OperatorParts, accountId: string): Promise<Recoverable> {
  const { account, folded } = await requireHaltedAccount(parts, accountId);
  if (folded.lastGood === undefined) throw new Refused('Its snapshot in MongoDB cannot be read: restore that document first.');
  return { account, lastGood: folded.lastGood };
}

/** Accounts that an answer of the API shows. */
const ANSWERED_MAX = 1000;

/** Every halted account with its reason. */
export const listQuarantine = operatorLook<void, HaltedAccount[]>({
  look: haltedAccounts,
  command: {
    name: 'quarantine list',
    takes: '',
    does: 'shows the halted accounts: in quarantine after a fault, or not loaded by their owners',
    data: (_asked, halted = []) => ({ accounts: halted.map(toHaltedRow) }),
    lines: (halted) => (halted.length === 0 ? ['No account is halted.'] : halted.map(lineOfHalted)),
  },
  endpoint: {
    id: 'listHaltedAccounts',
    path: '/v1/admin/quarantine',
    summary: `Halted accounts: in quarantine after a fault, or not loaded by their owners; ${ANSWERED_MAX} at most.`,
    answer: named(
      'HaltedAccounts',
      exactly({
        count: described(Count, 'How many there are.'),
        accounts: Type.Array(
          named(
            'HaltedAccount',
            exactly({
              account: Address,
              shard: Count,
              reason: Type.String(),
              since: orNull(IsoTime),
              last_seq: orNull(Count),
              set_aside_bytes: described(Count, 'Entries that were set aside from the journal.'),
            }),
          ),
        ),
      }),
    ),
    ask: () => undefined,
    audited: () => 'quarantine',
    show: (halted) => ({ count: halted.length, accounts: halted.slice(0, ANSWERED_MAX).map(toHaltedRow) }),
  },
});

function lineOfHalted(halted: HaltedAccount): string {
  const { account, shard, since, set_aside_bytes: bytes, reason } = toHaltedRow(halted);
  return `${account}  shard ${shard}  since ${since ?? 'a time not known'}  ${bytes} bytes set aside  ${reason.slice(0, 100)}`;
}

/** One halted account, and what a lift or a drop would make of it. For the terminal alone. */
export const showHaltedAccount = operatorLook<string, FoundHalted>({
  look: requireHaltedAccount,
  command: {
    name: 'quarantine show',
    takes: '0x…',
    does: 'shows a halted account: why, since when, what was set aside, and how far its state can be made again',
    ask: (args) => oneAccount(args.filter((word) => word !== '--yes')),
    data: (_name, found) => found && toData(found),
    lines: linesOf,
  },
});

const oneAccount = (args: readonly string[]): string => onlyWord(args, 'Which account? One 0x…, as quarantine list shows it.');

const toData = ({ account, folded: { snapshotSeq, lastGood } }: FoundHalted) => ({
  ...toHaltedRow(account),
  ...{ set_aside_seq: account.setAside?.lastSeq ?? null, snapshot_seq: snapshotSeq },
  ...{ last_good_seq: lastGood?.account.seq ?? null, cannot_be_folded: lastGood?.givenUp.length ?? null },
});

function linesOf({ account: halted, folded }: FoundHalted): string[] {
  const { accountId, shard, reason, setAside } = halted;
  const { snapshotSeq, lastGood } = folded;
  return columns([
    ['account', accountId],
    ['shard', String(shard)],
    ['since', toHaltedRow(halted).since ?? 'not known'],
    ['reason', reason],
    ['snapshot', snapshotSeq === 0 ? 'none' : `entry ${snapshotSeq} in MongoDB`],
    ['set aside', setAside === undefined ? 'nothing' : `${setAside.bytes} bytes, up to entry ${setAside.lastSeq}`],
    ['last good', lastGood === undefined ? 'its snapshot cannot be read' : `entry ${lastGood.account.seq}`],
    ['not to be folded', lastGood === undefined ? 'not known' : `${lastGood.givenUp.length} entries`],
  ]);
}

/** Has a halted account read again by its owner, with everything that was acknowledged. */
export const liftQuarantine = operatorAct<string, Recoverable, true>({
  check: async (parts, name) => {
    const found = await requireLastGood(parts, name);
    const { givenUp } = found.lastGood;
    if (givenUp.length === 0) return found;
    throw new Refused(
      `${givenUp.length} of its entries, from ${givenUp[0]?.seq} on, cannot be folded by this build. Run a build that can, or drop them.`,
    );
  },
  audit: ({ account: { accountId, reason } }) => ({ accountId, action: 'account.lifted', detail: reason.slice(0, 200) }),
  act: (parts, { account }) => endHalt(parts, account, { want: 'lift' }),
  command: {
    name: 'quarantine lift',
    takes: '0x… [--yes]',
    does: 'brings a halted account back with all its entries; says first what that means, and does it with --yes',
    ask: oneAccount,
    meaning: ({ account: { accountId, reason }, lastGood }) => [
      `The owner reads ${accountId} anew, up to entry ${lastGood.account.seq}: nothing of it is lost.`,
      'Trades and marks of meanwhile fill and trigger nothing afterwards; liquidation, funding and what was due are caught up.',
      `It was halted for: ${reason}. The same cause may halt it again.`,
    ],
    data: ({ account }, done) => ({ account: account.accountId, lifted: done === true }),
    lines: () => ['Done: the account answers.'],
  },
  endpoint: {
    id: 'liftQuarantine',
    path: '/v1/admin/quarantine/:account/lift',
    summary: 'Brings a halted account back with all its entries. It may take half a minute.',
    params: Type.Object({ account: Address }) satisfies TObject,
    answer: named('LiftedAccount', exactly({ account: Address, seq: described(Count, 'The entry from which it goes on.') })),
    errors: MAY_BE_UNKNOWN,
    ask: (ctx) => ctx.params['account'] ?? '',
    audited: (account) => `lift ${account}`,
    show: (_done, { account, lastGood }) => ({ account: account.accountId, seq: lastGood.account.seq }),
  },
});

/** Entries that the text shows. */
const SHOWN_MAX = 20;

/**
 * Gives up the entries of a halted account that cannot be folded. It goes on from its last good state. For the terminal alone, which says
 * first what is lost.
 */
export const dropQuarantine = operatorAct<string, Recoverable, true>({
  check: async (parts, name) => {
    const found = await requireLastGood(parts, name);
    if (found.lastGood.givenUp.length > 0) return found;
    throw new Refused('All its entries can be folded: nothing has to be given up. Use quarantine lift.');
  },
  audit: ({ account: { accountId }, lastGood: { givenUp } }) => ({
    ...{ accountId, action: 'account.entries_dropped' },
    detail: `entries ${givenUp[0]?.seq} to ${givenUp.at(-1)?.seq}`,
  }),
  act: (parts, { account }) => endHalt(parts, account, { want: 'drop' }),
  command: {
    name: 'quarantine drop',
    takes: '0x… [--yes]',
    does: 'gives up the entries of a halted account that cannot be folded; says first which, and does it with --yes',
    ask: oneAccount,
    meaning: ({ account: { accountId }, lastGood: { account, givenUp } }) => [
      `${accountId} goes on from entry ${account.seq}. ${givenUp.length} acknowledged entries are given up for good:`,
      ...givenUp.slice(0, SHOWN_MAX).map(lineOfEntry),
      ...(givenUp.length > SHOWN_MAX ? [`  and ${givenUp.length - SHOWN_MAX} more`] : []),
      'What they did to cash, positions and orders is gone. Rows that users have seen of them stay in the history.',
    ],
    data: ({ account: { accountId }, lastGood }, done) => ({
      ...{ account: accountId, dropped: done === true ? lastGood.givenUp.length : 0 },
    }),
    lines: () => ['Done: the account answers.'],
  },
});

const lineOfEntry = ({ seq, timeMs, events }: AccountEntry): string =>
  `  entry ${seq} of ${new Date(timeMs).toISOString()}: ${events.map(({ type }) => type).join(', ') || 'no event'}`;
