// `bin/admin account rebuild`: an account as of any of its entries, printed, written to a file, or put in the place of what it is now.
import { writeFile } from 'node:fs/promises';
import type { Account } from '../../actors/core/account/account.ts';
import { toSnapshot } from '../../actors/core/account/accountCodec.ts';
import { balanceOf } from '../../actors/core/margin/margin.ts';
import { CannotRebuild, type Rebuilt } from '../../actors/core/rebuildAccount.ts';
import { rebuildAccount } from '../../features/rules.ts';
import type { StateHead } from '../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { endHalt } from '../acts/haltedAccounts.ts';
import { withAccountAudit } from '../acts/operatorAct.ts';
import { type OperatorParts, Refused, type Report, readOptions, UsageError } from '../acts/operatorParts.ts';
import { AccountPast, accountNamed, type NamedAccount, refuseUnknown, seqOption } from './accountPast.ts';

const FLAGS = ['--replace', '--yes'];

export async function rebuildArchivedAccount(args: readonly string[], parts: OperatorParts): Promise<Report> {
  const { words, options } = readOptions(
    args.filter((word) => !FLAGS.includes(word)),
    ['seq', 'out'],
  );
  if (words.length > 1) throw new UsageError('One account.');
  const named = await accountNamed(words[0], parts);
  const past = await AccountPast.read(parts, named);
  const lastSeq = await past.lastSeq();
  refuseUnknown(past, lastSeq);
  const seq = seqOption(options, 'seq') ?? lastSeq;
  const rebuilt = await rebuiltAt(past, seq);
  const report = describe(rebuilt);
  const out = options.get('out');
  if (out !== undefined)
    await writeFile(out, `${JSON.stringify({ ...report, snapshot: JSON.parse(report.text) })}\n`, { flag: 'wx', mode: 0o600 });
  const { text: _, ...data } = report;
  const lines = [
    `${past.accountId} as of entry ${data.seq} of ${data.time}: ${data.folded} entries folded from ${data.from === null ? 'its beginning' : `state ${data.from}`}.`,
    `balance ${data.balance_usd} USD, ${data.positions} positions, ${data.open_orders} open orders, ${data.triggers} triggers`,
    `state hash ${data.state_hash}`,
    ...(out === undefined ? [] : [`It is in ${out}.`]),
  ];
  if (!args.includes('--replace')) return { data: { ...data, replaced: false }, lines };
  const meaning = meaningOf(seq, lastSeq);
  if (!args.includes('--yes'))
    return {
      data: { ...data, replaced: false },
      lines: [...lines, ...meaning, 'Nothing was done. The same with --yes does it.'],
    };
  const { done: replaced, line } = await withAccountAudit(
    parts,
    { accountId: past.accountId, action: 'account.rebuilt', detail: `as of entry ${data.seq} of ${lastSeq}` },
    { act: () => replace(parts, named, seqOption(options, 'seq')) },
  );
  const { after, seq: under } = replaced;
  const done = [`Done, as of entry ${after} of ${under - 1}, under number ${under}: the account answers.`, line];
  return { data: { ...data, seq: after, replaced: true }, lines: [...lines, ...meaning, ...done] };
}

async function rebuiltAt(past: AccountPast, seq: number): Promise<Rebuilt<StateHead>> {
  if (seq < 1) throw new Refused('The first entry of an account is 1.');
  try {
    return await rebuildAccount(past, past.accountId, seq);
  } catch (error) {
    if (error instanceof CannotRebuild) throw new Refused(error.message);
    throw error;
  }
}

function describe({ account, base, folded }: Rebuilt<StateHead>) {
  return {
    ...{ account: account.id, seq: account.seq, time: new Date(account.timeMs).toISOString() },
    ...{ from: base?.seq ?? null, folded, state_hash: stateHashOf(account), ...figuresOf(account) },
    text: toSnapshot(account, NEWEST_FORMAT),
  };
}

const figuresOf = (account: Account) => ({
  ...{ balance_usd: balanceOf(account).toFixed(), positions: account.positions.size },
  ...{ open_orders: account.orders.size, triggers: account.triggers.size },
});

const meaningOf = (seq: number, lastSeq: number): readonly string[] => [
  'Its owner halts it, makes it what is shown above, under a new number, and has it go on.',
  seq < lastSeq
    ? `Entries ${seq + 1} to ${lastSeq} are given up for good: what they did to cash, positions and orders is gone. Their rows stay in the history.`
    : 'No entry is given up. The snapshot that is stored of it is replaced.',
];

/**
 * Through the owner, so that no other pod changes the account meanwhile.
 * @param asOf undefined = with all entries that it has by then
 * @returns the state that it goes on from
 * @throws {Refused} when it has not happened
 */
async function replace(parts: OperatorParts, named: NamedAccount, asOf: number | undefined): Promise<StateHead> {
  const before = new Set((await rebuiltStates(parts, named)).map(({ _id }) => _id));
  await endHalt(parts, named, { want: 'rebuild', asOf });
  const made = (await rebuiltStates(parts, named)).find(({ _id }) => !before.has(_id));
  if (made !== undefined) return made;
  throw new Refused('It was not rebuilt: its owner died meanwhile. It is as it was; ask again.');
}

async function rebuiltStates(parts: OperatorParts, named: NamedAccount): Promise<StateHead[]> {
  const { states } = await AccountPast.read(parts, named);
  return states.filter(({ reason }) => reason === 'rebuilt');
}
