// `bin/admin account show` and `bin/admin account export`: what an account is and where everything of it is stored, and its entries as a file.

import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { balanceOf } from '../../actors/core/margin/margin.ts';
import { CannotRebuild } from '../../actors/core/rebuildAccount.ts';
import { rebuildAccount } from '../../features/rules.ts';
import { FORMS_LINE } from '../../shared/domain/formats.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { haltedAccounts } from '../acts/haltedAccounts.ts';
import { columns, type OperatorParts, onlyWord, Refused, type Report, readOptions } from '../acts/operatorParts.ts';
import { readOwners } from '../acts/shardReads.ts';
import { AccountPast, accountNamed, refuseUnknown, seqOption } from './accountPast.ts';

export async function showArchivedAccount([name]: readonly string[], parts: OperatorParts): Promise<Report> {
  const named = await accountNamed(name, parts);
  const { accountId, shard, user } = named;
  const past = await AccountPast.read(parts, named);
  const [lastSeq, chunks, stored] = await Promise.all([
    past.lastSeq(),
    past.reader.chunks(),
    parts.mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: accountId }),
  ]);
  if (stored === null) refuseUnknown(past, lastSeq);
  const position = await parts.mongo.db
    .collection<{ _id: number; commit: number; archived?: number }>(collections.shards)
    .findOne({ _id: shard });
  const halted = (await haltedAccounts(parts)).find((one) => one.accountId === accountId);
  const firstEntry = await firstOf(past, lastSeq);
  const data = {
    ...{ account: accountId, user: user?._id ?? null, email: user?.email ?? null, plan: user?.plan ?? null },
    ...{ shard, owner: (await readOwners(parts)).owners[shard]?.podId ?? null, halted_for: halted?.reason ?? null },
    ...(await stateOf(past, Math.max(lastSeq, stored?.seq ?? 0))),
    ...{
      snapshot_seq: stored?.seq ?? null,
      history_commit: position?.commit ?? null,
      archived_commit: position?.archived ?? null,
    },
    archive: {
      ...{ first_seq: firstEntry, last_seq: chunks.at(-1)?.lastSeq ?? null, chunks: chunks.length },
      bytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
      states: past.states.map(({ seq, reason, after }) => ({ seq, reason, ...(after < seq && { after }) })),
    },
    journal: { first_seq: past.live[0]?.seq ?? null, last_seq: past.live.at(-1)?.seq ?? null, entries: past.live.length },
  };
  const { archive, journal, ...fields } = data;
  const states = archive.states.map(({ seq, reason }) => (reason === 'distance' ? `${seq}` : `${seq} (${reason})`));
  const rows: [string, string][] = [
    ...Object.entries(fields).map(([field, value]): [string, string] => [field, String(value ?? '-')]),
    [
      'archive',
      `entries ${archive.first_seq ?? '-'} to ${archive.last_seq ?? '-'}, ${archive.chunks} chunks, ${archive.bytes} bytes`,
    ],
    ['states', states.slice(-10).join(', ') || '-'],
    ['journal', `entries ${journal.first_seq ?? '-'} to ${journal.last_seq ?? '-'}, ${journal.entries} in Redis`],
  ];
  return { data, lines: columns(rows) };
}

/** The account as of its newest entry, from what is stored. */
async function stateOf(past: AccountPast, seq: number) {
  try {
    const { account } = await rebuildAccount(past, past.accountId, seq);
    return {
      ...{ seq: account.seq, time: new Date(account.timeMs).toISOString(), state_hash: stateHashOf(account) },
      ...{ balance_usd: balanceOf(account).toFixed(), positions: account.positions.size },
      ...{ open_orders: account.orders.size, triggers: account.triggers.size, twaps: account.twaps.size, cannot_rebuild: null },
    };
  } catch (error) {
    if (!(error instanceof CannotRebuild)) throw error;
    return { seq, cannot_rebuild: error.message };
  }
}

async function firstOf(past: AccountPast, lastSeq: number): Promise<number | null> {
  for await (const { seq } of past.entries(0, lastSeq)) return seq;
  return null;
}

/** Of the form of an exported file: its first line names it. */
const VERSION = 1;

interface Written {
  entries: number;
  first: number;
  last: number;
  chain: string;
}

/**
 * An account's entries as JSON lines, whole or not at all. Each line after the first is an entry as it was journaled; the last has a chain
 * of hashes over all of them and the hash of the state that they come to.
 */
export async function exportAccount(args: readonly string[], parts: OperatorParts): Promise<Report> {
  const { words, options } = readOptions(args, ['from', 'to']);
  const [name, ...more] = words;
  const file = onlyWord(more, 'Which account, and into which file?');
  const past = await AccountPast.read(parts, await accountNamed(name, parts));
  const lastSeq = await past.lastSeq();
  refuseUnknown(past, lastSeq);
  const [from, to] = [seqOption(options, 'from') ?? 1, Math.min(seqOption(options, 'to') ?? lastSeq, lastSeq)];
  if (from > to) throw new Refused(`There is no entry from ${from} to ${to}; the newest is ${lastSeq}.`);
  const state = await hashAt(past, to);
  const written: Written = { entries: 0, first: 0, last: 0, chain: '' };
  const beside = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await pipeline(
      Readable.from(linesOf(past, { from, to, state, written })),
      createWriteStream(beside, { flags: 'wx', mode: 0o600 }),
    );
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  const { entries, first, last, chain } = written;
  const data = { account: past.accountId, file, entries, first_seq: first, last_seq: last, chain, ...state };
  const hash = state.state_hash === null ? `no state hash: ${state.why}` : `state hash ${state.state_hash}`;
  return { data, lines: [`${entries} entries, ${first} to ${last}, are in ${file}.`, `chain ${chain}`, hash] };
}

type EndState = { readonly state_hash: string | null; readonly why?: string };

async function hashAt(past: AccountPast, seq: number): Promise<EndState> {
  try {
    return { state_hash: stateHashOf((await rebuildAccount(past, past.accountId, seq)).account) };
  } catch (error) {
    if (!(error instanceof CannotRebuild)) throw error;
    return { state_hash: null, why: error.message };
  }
}

async function* linesOf(
  past: AccountPast,
  { from, to, state, written }: { from: number; to: number; state: EndState; written: Written },
): AsyncGenerator<string> {
  const head = JSON.stringify({ form: 'account entries', version: VERSION, forms: FORMS_LINE, account: past.accountId });
  written.chain = sha256(head);
  yield `${head}\n`;
  for await (const { seq, text } of past.entries(from, to)) {
    if (written.first === 0) written.first = seq;
    written.last = seq;
    written.entries += 1;
    written.chain = sha256(written.chain + text);
    yield `${text}\n`;
  }
  const { entries, first, last, chain } = written;
  yield `${JSON.stringify({ entries, first_seq: first, last_seq: last, chain, ...state })}\n`;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
