import { expect } from 'chai';
import type { LabDraw } from '../../../../src/dashboard/api/contract.ts';
import { labWords } from '../../../../src/dashboard/parts/orders/labWords.ts';

const DRAW: LabDraw = {
  ...{ act: 'place', keyId: 'key_1', number: 3, time: 1, draw: 0.25, fault: null, delayMs: null, answerMs: null, script: null },
} as LabDraw;
const SCRIPT = { cloidPrefix: null, draw: null, refuse: null, fillPercent: null, fillAfterMs: null, neverFill: false };

describe('labWords', () => {
  const cases: readonly (readonly [Partial<LabDraw>, string])[] = [
    [{}, 'The order met nothing: request 3, draw 0.2500.'],
    [{ act: 'cancel', delayMs: 300, answerMs: 40 }, 'A cancel waited 300 ms, was answered 40 ms late: request 3, draw 0.2500.'],
    [{ fault: 'timeoutAfterEffect' }, 'The order met timeoutAfterEffect: request 3, draw 0.2500.'],
    [
      { script: { ...SCRIPT, cloidPrefix: '0xde', neverFill: true, fillPercent: 0 } },
      'The order is never filled, filled 0 % at once at most: request 3, draw 0.2500, script 0xde.',
    ],
    [{ script: { ...SCRIPT, draw: 0.1, fillPercent: 33 } }, 'The order filled 33 % at once at most: request 3, draw 0.2500.'],
    [
      { script: { ...SCRIPT, cloidPrefix: '0xa', refuse: 'halted', fillAfterMs: 5 } },
      'The order was refused (halted), was held for 5 ms: request 3, draw 0.2500, script 0xa.',
    ],
  ];
  for (const [fields, words] of cases) it(words, () => expect(labWords({ ...DRAW, ...fields })).to.equal(words));
});
