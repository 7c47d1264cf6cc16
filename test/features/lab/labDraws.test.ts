import { expect } from 'chai';
import fc from 'fast-check';
import type { OwnersCommand } from '../../../src/actors/core/messages/command.ts';
import { inLab, planRequest } from '../../../src/features/lab/labPlan.ts';
import { drawOf, faultOf, isInForce, LATENCY_MS_MAX, type LabProfile, latencyOf } from '../../../src/shared/domain/labProfile.ts';
import { order, place } from '../../support/scenario.ts';

const PROFILE: LabProfile = { run: 'r', seed: 7, timeoutMs: 5000 };
const at = (number: number, seed = 7) => ({ seed, on: 'exchange', number }) as const;
const request = (number: number) => ({ key: 'key_1', on: 'exchange', number, atMs: 5 }) as const;

describe('draws of a failure lab', () => {
  it('the same seed and number give the same draws for ever', () => {
    // Written down once: other numbers would make every recorded run another one.
    expect([1, 2, 3].map((number) => drawOf(at(number), 'fault'))).to.deep.equal([
      0.43314643925987184, 0.09438679437153041, 0.05269872327335179,
    ]);
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 1e9 }), (seed, number) => {
        const draw = drawOf(at(number, seed), 'fault');
        expect(draw).to.be.within(0, 1 - 2 ** -32);
        expect(drawOf(at(number, seed), 'fault')).to.equal(draw);
      }),
    );
  });

  it('another seed, number, kind or endpoint draws other numbers', () => {
    const draws = [
      drawOf(at(1), 'fault'),
      drawOf(at(2), 'fault'),
      drawOf(at(1, 8), 'fault'),
      drawOf(at(1), 'submit'),
      drawOf({ ...at(1), on: 'info' }, 'fault'),
      drawOf(at(1), 'partialFill', 1),
      drawOf(at(1), 'partialFill', 2),
    ];
    expect(new Set(draws).size).to.equal(draws.length);
  });

  it('a fault comes as often as its probability says', () => {
    const faults = { '429': 0.1, '502': 0.2, dropSocket: 0.05 };
    const counts = new Map<string | undefined, number>();
    for (let number = 1; number <= 20_000; number++) {
      const fault = faultOf(drawOf(at(number), 'fault'), faults);
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).to.deep.equal(['429', '502', 'dropSocket', undefined]);
    // Of a binomial of 20,000 the sixth standard deviation is below 0.02.
    expect((counts.get('429') ?? 0) / 20_000).to.be.closeTo(0.1, 0.02);
    expect((counts.get('502') ?? 0) / 20_000).to.be.closeTo(0.2, 0.02);
    expect((counts.get('dropSocket') ?? 0) / 20_000).to.be.closeTo(0.05, 0.02);
  });

  it('faults share [0, 1) in their order, and the rest is none', () => {
    const faults = { '429': 0.25, '500': 0.25 };
    expect([0, 0.2499, 0.25, 0.4999, 0.5, 0.9999].map((draw) => faultOf(draw, faults))).to.deep.equal([
      ...['429', '429', '500', '500', undefined, undefined],
    ]);
  });

  it('a fixed latency is itself; a log-normal one has its median, its spikes and an end', () => {
    expect(latencyOf(250, at(1), 'submit')).to.equal(250);
    expect(latencyOf(undefined, at(1), 'submit')).to.equal(0);
    const many = (latency: Parameters<typeof latencyOf>[0]) =>
      Array.from({ length: 4001 }, (_, number) => latencyOf(latency, at(number + 1), 'cancel')).sort((a, b) => a - b);
    expect(many({ medianMs: 100, sigma: 0.5 })[2000]).to.be.within(94, 106);
    const spiky = many({ medianMs: 100, sigma: 0, spikes: { probability: 0.1, ms: 3000 } });
    expect(spiky.filter((ms) => ms === 3100).length / 4001).to.be.closeTo(0.1, 0.03);
    expect(spiky.filter((ms) => ms === 100).length / 4001).to.be.closeTo(0.9, 0.03);
    expect(many({ medianMs: 9000, sigma: 3 }).at(-1)).to.equal(LATENCY_MS_MAX);
  });

  it('a schedule is in force from its time for its length, and again', () => {
    const once = { schedule: [{ fromMs: 1000, forMs: 10 }] };
    expect([999, 1000, 1009, 1010, 2000].map((ms) => isInForce(once, ms))).to.deep.equal([false, true, true, false, false]);
    const again = { schedule: [{ fromMs: 1000, forMs: 10, everyMs: 100 }] };
    expect([999, 1000, 1010, 1100, 1109, 1110].map((ms) => isInForce(again, ms))).to.deep.equal([
      ...[false, true, false, true, true, false],
    ]);
    expect(isInForce({}, 0)).to.equal(true);
  });
});

describe('what a failure lab does to one request', () => {
  it('faults before the effect end it; those after do not; a dropped connection is one or the other', () => {
    const ends = (fault: string, number = 1) => planRequest({ ...PROFILE, faults: { [fault]: 1 } }, request(number)).endsBefore;
    expect(
      ['429', '500', '502', 'timeoutBefore', 'timeoutAfterEffect', 'duplicateAnswer'].map((fault) => ends(fault)),
    ).to.deep.equal([...[true, true, true, true, false, false]]);
    const drops = Array.from({ length: 50 }, (_, number) => ends('dropSocket', number + 1));
    expect(new Set(drops)).to.deep.equal(new Set([true, false]));
  });

  it('the first script whose prefix the cloid has counts; others fill in part as drawn', () => {
    const profile: LabProfile = {
      ...PROFILE,
      faults: { partialFill: 1 },
      scripts: [
        { cloidPrefix: '0xdead', refuse: 'halted' },
        { cloidPrefix: '0xde', neverFill: true },
        { cloidPrefix: '0xaa', fillAfterMs: 400, loseAnswer: true },
      ],
    };
    const cloids = [`0xdead${'0'.repeat(28)}`, `0xde${'0'.repeat(30)}`, `0x${'0'.repeat(32)}`];
    const planned = planRequest(profile, request(1));
    const sent = inLab(planned, place(...cloids.map((cloid) => ({ cloid }))) as OwnersCommand);
    const scripts = sent.command.type === 'placeOrders' ? sent.command.orders.map(({ script }) => script) : [];
    expect(scripts[0]).to.deep.equal({ prefix: '0xdead', refuse: 'halted' });
    expect(scripts[1]).to.deep.equal({ prefix: '0xde', fillPercent: 0, holdMs: null });
    expect(scripts[2]?.fillPercent).to.be.within(1, 99);
    expect(sent.note.fault).to.equal(undefined);
    const loses = {
      type: 'modifyOrders',
      modifies: [{ target: { oid: 1 }, order: order({ cloid: `0xaa${'0'.repeat(30)}` }) }],
    } as const;
    const lost = inLab(planned, loses);
    expect(lost.note.fault).to.equal('timeoutAfterEffect');
    expect(lost.command.type === 'modifyOrders' && lost.command.modifies[0]?.order.script).to.deep.equal({
      ...{ prefix: '0xaa', fillPercent: 0, holdMs: 400 },
    });
  });

  it('an answer that a script loses comes neither once nor twice, whatever is drawn', () => {
    const profile: LabProfile = { ...PROFILE, scripts: [{ cloidPrefix: '0xaa', loseAnswer: true }] };
    const sent = place({ cloid: `0xaa${'0'.repeat(30)}` }) as OwnersCommand;
    const faultOf = (fault: 'duplicateAnswer' | 'dropSocket' | 'timeoutAfterEffect') =>
      inLab(planRequest({ ...profile, faults: { [fault]: 1 } }, request(1)), sent).note.fault;
    expect(faultOf('duplicateAnswer')).to.equal('timeoutAfterEffect');
    expect(faultOf('dropSocket')).to.equal('dropSocket');
    expect(faultOf('timeoutAfterEffect')).to.equal('timeoutAfterEffect');
  });

  it('latency is of orders and modifies, and of cancels; other actions have none', () => {
    const planned = planRequest({ ...PROFILE, latency: { submit: 100, cancel: 200 } }, request(1));
    const delay = (command: OwnersCommand) => inLab(planned, command).note.delayMs;
    expect(delay(place({}) as OwnersCommand)).to.equal(100);
    expect(delay({ type: 'cancelOrders', cancels: [] })).to.equal(200);
    expect(delay({ type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: 2 })).to.equal(undefined);
  });
});
