import { expect } from 'chai';
import { accessNote, hasEnd, timeLeft } from '../../../src/dashboard/domain/access.ts';
import {
  announcement,
  isUrgent,
  NOTICES_MAX,
  type Notice,
  noticeOf,
  withNotices,
} from '../../../src/dashboard/domain/notices.ts';
import { meaningOf, PLACES } from '../../../src/dashboard/domain/shortcuts.ts';

describe('the shell: what a user is told of the end of the trial or of the paid time', () => {
  const trial = { trading_ends_at: '2026-11-27T10:00:00.000Z' };
  const paid = { trading_ends_at: '2026-11-20T10:00:00.000Z' };
  const cases: { name: string; note: unknown; want: unknown }[] = [
    {
      name: 'a trial has an end',
      note: accessNote({ subscription_status: 'trial', ...trial }, false),
      want: { type: 'trial', endsAt: trial.trading_ends_at },
    },
    {
      name: 'after the paid time there is a grace',
      note: accessNote({ subscription_status: 'past_due', ...paid }, false),
      want: { type: 'grace', endsAt: paid.trading_ends_at },
    },
    {
      name: 'a paid plan is not spoken of',
      note: accessNote({ subscription_status: 'active', ...paid }, false),
      want: undefined,
    },
    {
      name: 'after all it is read only',
      note: accessNote({ subscription_status: 'expired', ...paid }, false),
      want: { type: 'readOnly' },
    },
    {
      name: 'the server that closes the stream knows better than an older answer',
      note: accessNote({ subscription_status: 'trial', ...trial }, true),
      want: { type: 'readOnly' },
    },
    { name: 'before the first answer nothing is said', note: accessNote(undefined, false), want: undefined },
  ];
  for (const { name, note, want } of cases) it(name, () => expect(note).to.deep.equal(want));

  it('an end within ten years is told, a later one is none', () => {
    const nowMs = Date.UTC(2026, 10, 28);
    for (const [days, want] of [
      [3, true],
      [3650, true],
      [3651, false],
      [36_500, false],
      [-1, true],
    ] as const)
      expect(hasEnd(nowMs + days * 86_400_000, nowMs), `${days} days`).to.equal(want);
  });

  it('time left is cut, never rounded up', () => {
    const DAY_MS = 86_400_000;
    expect(timeLeft(3 * DAY_MS - 1)).to.equal('2 days');
    expect(timeLeft(DAY_MS)).to.equal('1 day');
    expect(timeLeft(DAY_MS - 1)).to.equal('23 hours');
    expect(timeLeft(3_600_000)).to.equal('1 hour');
    expect(timeLeft(59_999)).to.equal('1 minute');
    expect(timeLeft(-5)).to.equal('1 minute');
  });
});

describe('the shell: notices', () => {
  const fill = (text: string): Notice => ({ kind: 'fill', text, timeMs: 1 });

  it('lines of the server have a kind and a page; a resting fill is left to the channel of fills', () => {
    const kinds = [
      'Resting order filled: Bought 1 BTC at $5',
      'Liquidation (cross): 1 BTC; the account value was $1',
      'Margin warning: maintenance margin $1 is 80 % or more of the cross account value $1',
      'Your invoice was paid',
      'The trial ends at 2026-11-27T10:00:00.000Z: pay before it to go on trading',
    ].map((text) => noticeOf(text, 7)?.kind);
    expect(kinds).to.deep.equal([undefined, 'liquidation', 'margin', 'invoice', 'access']);
  });

  it('only fills, liquidations and margin warnings are said while a reader does something else', () => {
    const kinds = ['fill', 'liquidation', 'margin', 'funding', 'access', 'invoice', 'history'] as const;
    expect(kinds.filter((kind) => isUrgent({ kind, text: '', timeMs: 1 }))).to.deep.equal(['fill', 'liquidation', 'margin']);
  });

  it('one is said as it is, several are counted by kind, with the last', () => {
    expect(announcement([fill('Bought 1 BTC at 5')])).to.equal('Bought 1 BTC at 5');
    const margin: Notice = { kind: 'margin', text: 'Margin warning', timeMs: 3 };
    expect(announcement([fill('a'), margin, fill('b')])).to.equal('2 fills, 1 margin warning. The last: b');
  });

  it('the newest are kept, the last that came first', () => {
    const many = Array.from({ length: NOTICES_MAX + 3 }, (_, i) => fill(`${i}`));
    const kept = withNotices([fill('old')], many);
    expect(kept).to.have.length(NOTICES_MAX);
    expect(kept[0]?.text).to.equal(`${NOTICES_MAX + 2}`);
    expect(withNotices([fill('old')], [fill('new')]).map(({ text }) => text)).to.deep.equal(['new', 'old']);
  });
});

describe('the shell: keys', () => {
  it('`g` and a letter lead to a page, in time; `?` shows the list; all else is left alone', () => {
    expect(meaningOf('g', { before: undefined, nowMs: 0 })).to.deep.equal({ type: 'wait' });
    for (const [letter, { to }] of PLACES)
      expect(meaningOf(letter, { before: 0, nowMs: 1_500 })).to.deep.equal({ type: 'go', to });
    expect(meaningOf('o', { before: 0, nowMs: 1_501 })).to.equal(undefined);
    expect(meaningOf('o', { before: undefined, nowMs: 0 })).to.equal(undefined);
    expect(meaningOf('?', { before: undefined, nowMs: 0 })).to.deep.equal({ type: 'help' });
    expect(meaningOf('g', { before: 0, nowMs: 10 }), 'twice: it waits again').to.deep.equal({ type: 'wait' });
  });
});
