// `bin/admin account export`: an account's entries as JSON lines, whole or not at all. Each line after the first is an entry as it was
// journaled; the last has a chain of hashes over all of them and the hash of the state that they come to.

import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CannotRebuild, rebuildAccount } from '../../actors/core/rebuildAccount.ts';
import { Refused, UsageError } from '../../operators/operatorParts.ts';
import { FORMS_LINE } from '../../shared/domain/formats.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import type { AdminCommand } from '../adminCommand.ts';
import { readOptions } from '../readOptions.ts';
import { AccountPast, accountNamed, refuseUnknown, seqOption } from './accountPast.ts';

/** Of the file's form: its first line names it. */
const VERSION = 1;

interface Written {
  entries: number;
  first: number;
  last: number;
  chain: string;
}

export const exportAccount: AdminCommand = {
  name: 'account export',
  takes: 'ACCOUNT FILE [--from SEQ] [--to SEQ]',
  does: 'writes the entries of an account to a file, one a line, with a chain of hashes and the state hash at its end',
  async run(args, parts) {
    const { words, options } = readOptions(args, ['from', 'to']);
    const [name, file, ...more] = words;
    if (file === undefined || more.length > 0) throw new UsageError('Which account, and into which file?');
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
  },
};

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
