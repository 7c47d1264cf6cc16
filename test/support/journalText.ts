// A journal's file of any length, with a chain that holds: the dashboard looks at the chain and at the order of entries alone.

import { JOURNAL_FORM, JOURNAL_VERSION, type LineKind, NO_LINE, writeLine } from '../../src/shared/archive/journalFile.ts';
import { FORMS_LINE } from '../../src/shared/domain/formats.ts';

export const ACCOUNT = `0x${'ab'.repeat(20)}`;

const FILL = {
  ...{ type: 'orderFilled', tid: 9, asset: 0, coin: 'BTC', side: 'buy', price: '60000', size: '0.01', liquidity: 'taker' },
  ...{ fee: '0.27', closedPnl: '0', startPosition: '0', direction: 'Open Long' },
};

/** Lines one after the other. @param change fields of an entry that are to be others @param padding characters more in each entry */
export function* journalLines(
  entries: number,
  change: (seq: number) => object = () => ({}),
  padding = 0,
): Generator<string, void, undefined> {
  let before = NO_LINE;
  const next = (kind: LineKind, body: object): string => {
    const { line, hash } = writeLine(before, kind, JSON.stringify(body));
    before = hash;
    return `${line}\n`;
  };
  yield next('head', {
    form: JOURNAL_FORM,
    version: JOURNAL_VERSION,
    forms: FORMS_LINE,
    account: ACCOUNT,
    begins: 1,
    to_seq: entries,
    state: null,
  });
  for (let seq = 1; seq <= entries; seq++) {
    const events =
      seq % 2 === 0 ? [{ ...FILL, oid: seq }] : [{ type: 'leverageSet', asset: 0, marginMode: 'cross', leverage: 5 }];
    const entry = {
      accountId: ACCOUNT,
      seq,
      timeMs: 1_700_000_000_000 + seq,
      events,
      equity: { balance: '10000.0' },
      firstRows: {},
    };
    yield next('entry', { ...entry, ...(padding > 0 && { padding: 'x'.repeat(padding) }), ...change(seq) });
  }
  const end = {
    complete: true,
    rows: entries,
    last_seq: entries,
    next: entries + 1,
    balance_usd: '10000.0',
    state_hash: 'h2:00',
  };
  yield next('end', end);
}

export const journalText = (entries: number, change?: (seq: number) => object): string =>
  [...journalLines(entries, change)].join('');
