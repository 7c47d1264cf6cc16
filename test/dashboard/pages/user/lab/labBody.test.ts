import { expect } from 'chai';
import { PRESETS } from '../../../../../src/api/auth/keys/lab/labPresets.ts';
import { fieldsOf, labBody } from '../../../../../src/dashboard/pages/user/lab/labBody.ts';

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
