import { expect } from 'chai';
import { PRESETS } from '../../../src/api/accounts/labFields.ts';
import type { AccountTerms } from '../../../src/dashboard/api/contract.ts';
import { chosenFees, FEES, limitsBody, termsBody, valuesOf } from '../../../src/dashboard/pages/account/formBodies.ts';
import { keyLimitsBody, limitFields, limitWords } from '../../../src/dashboard/pages/user/keyLimits.ts';
import { fieldsOf, labBody } from '../../../src/dashboard/pages/user/labBody.ts';

const SET = {
  daily_loss: { usd: '200.0', act: 'refuse' },
  drawdown: { percent: '10', act: 'close' },
  hours: { from: '08:00', to: '20:00', act: 'warn' },
  coins: { only: ['BTC', 'ETH'], act: 'refuse' },
} as const;
const NONE = { lost_usd: null, drawdown_percent: null, broken: [] };
const form = (values: ReadonlyMap<string, string>) => ({ get: (name: string) => values.get(name) ?? null });

describe('the form of house rules', () => {
  it('comes to the rules that it was filled with', () => {
    const values = valuesOf({ ...SET, coins: { ...SET.coins, only: [...SET.coins.only] }, ...NONE });
    expect(values.get('coins.only')).to.equal('BTC, ETH');
    expect(limitsBody(form(values))).to.deep.equal(SET);
  });

  it('has no rule whose fields are empty, whatever follows when it is broken', () => {
    const values = new Map([
      ['daily_loss.usd', ' '],
      ['daily_loss.act', 'close'],
      ['hours.from', '08:00'],
      ['hours.act', 'warn'],
      ['coins.only', ' , SOL ,'],
    ]);
    expect(limitsBody(form(values))).to.deep.equal({
      hours: { from: '08:00', to: '', act: 'warn' },
      coins: { only: ['SOL'], act: '' },
    });
  });
});

const filled = (fields: Readonly<Record<string, string>>) => ({ get: (name: string) => fields[name] ?? null });
const termsOf = (fees: Partial<AccountTerms['fees']>): AccountTerms => ({
  fees: { source: 'default', tier: null, rebate: null, maker: '0.00015', taker: '0.00045', ...fees },
  fill_model: 'queue',
  changed: null,
  text: '',
});

describe('the form of an account’s terms', () => {
  it('says one form of fees, or none', () => {
    const own = { fees: 'own', maker: ' -0.0001 ', taker: '0.0004', rebate: '1' };
    expect(termsBody(filled(own))).to.deep.equal({ fees: { maker: '-0.0001', taker: '0.0004' }, fill_model: 'queue' });
    expect(termsBody(filled({ fees: 'tier 0', rebate: '3' }))).to.deep.equal({
      fees: { tier: 0, rebate: 3 },
      fill_model: 'queue',
    });
    expect(termsBody(filled({ fees: 'tier 6', rebate: 'none', fill_model: 'touch' }))).to.deep.equal({
      fees: { tier: 6 },
      fill_model: 'touch',
    });
    expect(termsBody(filled({ fees: 'volume' }))).to.deep.equal({ fees: { by_volume: true }, fill_model: 'queue' });
    expect(termsBody(filled({ fees: 'default' }))).to.deep.equal({ fill_model: 'queue' });
  });

  it('begins with the choice that holds', () => {
    expect(chosenFees(termsOf({ source: 'tier', tier: 3 }))).to.equal('tier 3');
    expect(chosenFees(termsOf({ source: 'volume', tier: 3 }))).to.equal('volume');
    for (const source of ['default', 'own', 'volume', 'what_if'] as const)
      expect(FEES.map(([value]) => value)).to.include(chosenFees(termsOf({ source })));
  });
});

const NO_LIMITS = { scopes: ['read', 'trade'], expires_at: null, addresses: null, trade_limits: null } as const;
const ALL = {
  scopes: ['read'],
  expires_at: '2099-01-31T12:00:00.000Z',
  addresses: ['192.0.2.0/24', '2001:db8::1'],
  trade_limits: { order_usd: '1234567.5', leverage: 3, daily_loss_usd: '50.0', orders_per_minute: 60 },
} as const;
const formOf = (fields: ReadonlyMap<string, string>) => ({ get: (name: string) => fields.get(name) ?? null });
const mutable = <T>(limited: T) => structuredClone(limited) as Parameters<typeof limitFields>[0];

describe('the form of a key’s limits', () => {
  it('comes to what it was filled in from', () => {
    for (const limited of [NO_LIMITS, ALL]) {
      const body = keyLimitsBody(formOf(limitFields(mutable(limited))));
      const trade = limited.trade_limits;
      expect(body).to.deep.equal({ ...limited, trade_limits: trade });
    }
  });

  it('leaves to the API what is no number', () => {
    const fields = new Map([
      ['scopes', 'read'],
      ['leverage', '1.5'],
      ['order_usd', ' 1 000.50 '],
      ['orders_per_minute', 'x'],
    ]);
    expect(keyLimitsBody(formOf(fields))).to.deep.include({
      trade_limits: { leverage: '1.5', order_usd: '1000.50', orders_per_minute: 'x' },
      addresses: null,
      expires_at: null,
    });
  });

  it('is told in words, none for a key without limits', () => {
    expect(limitWords(mutable(NO_LIMITS))).to.deep.equal([]);
    expect(limitWords(mutable(ALL))).to.deep.equal([
      'orders up to 1\u202f234\u202f567.5 USD',
      'leverage up to 3',
      'opens nothing more after a loss of 50 USD a day',
      '60 orders a minute at most',
      'from 192.0.2.0/24, 2001:db8::1 alone',
    ]);
  });
});

describe('labBody', () => {
  const whole = {
    seed: 7,
    latency: {
      ...{ submit: 250, answer: { medianMs: 5, sigma: 0, spikes: { probability: 0.5, ms: 9 } } },
      cancel: { medianMs: 120, sigma: 0.5 },
    },
    faults: { '429': 0.05, partialFill: 0.3 },
    timeoutMs: 300,
    scripts: [
      { cloidPrefix: '0xdead', refuse: 'insufficientMargin' as const },
      { cloidPrefix: '0x0', fillPercent: 0, loseAnswer: true as const },
    ],
    schedule: [{ from: '2026-01-01T00:00:00.000Z', forMs: 1000, everyMs: 5000 }],
  };

  it('reads back what the fields were filled in with: a profile with everything, and every preset', () => {
    for (const profile of [whole, {}, ...Object.values(PRESETS).map((preset) => preset.profile)])
      expect(labBody(fieldsOf(profile))).to.deep.equal(profile);
  });

  it('gives each field the name of its place', () => {
    expect(
      Object.fromEntries(fieldsOf({ latency: { submit: 250 }, scripts: [{ cloidPrefix: '0xa', neverFill: true }] })),
    ).to.deep.equal({
      ...{ 'latency.submit.medianMs': '250', 'scripts.0.cloidPrefix': '0xa', 'scripts.0.neverFill': 'on' },
    });
  });

  it('empty fields say nothing; rows that were taken out leave no hole; spikes alone have a median of 0', () => {
    const fields = [
      ...[['seed', ''] as const, ['faults.429', ' '] as const, ['scripts.0.cloidPrefix', '0xa'] as const],
      ...[['scripts.5.cloidPrefix', '0xb'] as const, ['latency.cancel.spikes.ms', '10'] as const],
    ];
    expect(labBody(fields)).to.deep.equal({
      scripts: [{ cloidPrefix: '0xa' }, { cloidPrefix: '0xb' }],
      latency: { cancel: { medianMs: 0, sigma: 0, spikes: { ms: 10 } } },
    });
  });

  it('what is no number stays as it was typed, for the API to refuse', () => {
    expect(labBody([['seed', 'many'] as const])).to.deep.equal({ seed: 'many' });
    expect(labBody([['timeoutMs', '1e999'] as const])).to.deep.equal({ timeoutMs: '1e999' });
  });
});
