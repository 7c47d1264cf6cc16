// Journals as files, made of the golden lives: fills, funding, liquidations, resets, transfers, sub-accounts.

import { readdirSync, readFileSync } from 'node:fs';
import { type Account, emptyAccount } from '../../src/actors/core/account/account.ts';
import { balanceOf } from '../../src/actors/core/margin/margin.ts';
import { readEntry } from '../../src/actors/core/messages/entry.ts';
import { applyEntry } from '../../src/features/rules.ts';
import { JOURNAL_FORM, JOURNAL_VERSION, type LineKind, NO_LINE, writeLine } from '../../src/shared/archive/journalFile.ts';
import { halfUp, toWire, USD_DECIMALS } from '../../src/shared/domain/decimal.ts';
import { FORMS_LINE, NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';

const FOLDER = new URL(`../fixtures/formats/${NEWEST_FORMAT}/`, import.meta.url);

/** The journals of all golden lives of the newest generation, by their names. */
export const goldenJournals = (): readonly { readonly name: string; readonly texts: readonly string[] }[] =>
  readdirSync(FOLDER)
    .filter((name) => name.startsWith('life-'))
    .map((name) => ({ name, texts: JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')).journal as string[] }));

/** Lines one after the other, each with its newline. */
export function chained(lines: readonly (readonly [LineKind, string])[], before: string = NO_LINE): string[] {
  let hash = before;
  return lines.map(([kind, text]) => {
    const written = writeLine(hash, kind, text);
    hash = written.hash;
    return `${written.line}\n`;
  });
}

/** Lines of a whole journal as the API exports it. @param state that it begins with, with entries after it */
export function journalLines(
  texts: readonly string[],
  state: { readonly text: string; readonly account: Account } | null = null,
): string[] {
  const entries = texts.map(readEntry);
  const accountId = entries[0]?.accountId ?? '';
  const account = entries.reduce(applyEntry, state?.account ?? emptyAccount(accountId));
  const head = {
    form: JOURNAL_FORM,
    version: JOURNAL_VERSION,
    forms: FORMS_LINE,
    account: accountId,
    state: state && JSON.parse(state.text),
  };
  const balance = toWire(halfUp(balanceOf(account), USD_DECIMALS));
  const end = {
    complete: true,
    rows: texts.length,
    last_seq: account.seq,
    balance_usd: balance,
    state_hash: stateHashOf(account),
  };
  return chained([
    ['head', JSON.stringify(head)],
    ...texts.map((text) => ['entry', text] as const),
    ['end', JSON.stringify(end)],
  ]);
}
