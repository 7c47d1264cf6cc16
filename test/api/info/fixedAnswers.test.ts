import { expect } from 'chai';
import type { Call, Services } from '../../../src/api/accounts/services.ts';
import { fixedAnswers } from '../../../src/api/info/fixedAnswers.ts';

// These ask no part of the service, so none is there.
const call = {} as Call;
const services = {} as Services;
const ask = (body: { type: string; [field: string]: unknown }): unknown =>
  fixedAnswers.find(({ type }) => type === body.type)?.answer(body, call, services);

const cases: readonly { body: { type: string; [field: string]: unknown }; want: unknown }[] = [
  { body: { type: 'perpCategories' }, want: [] },
  { body: { type: 'perpConciseAnnotations' }, want: [] },
  { body: { type: 'perpAnnotation', coin: 'BTC' }, want: null },
  { body: { type: 'liquidatable' }, want: [] },
  { body: { type: 'approvedBuilders', user: `0x${'11'.repeat(20)}` }, want: [] },
  { body: { type: 'maxBuilderFee', user: `0x${'11'.repeat(20)}`, builder: `0x${'22'.repeat(20)}` }, want: 0 },
  { body: { type: 'userAbstraction', user: `0x${'11'.repeat(20)}` }, want: 'default' },
  { body: { type: 'isVip', user: `0x${'11'.repeat(20)}` }, want: false },
];

describe('info types with one answer for everybody say what the venue says where there is nothing', () => {
  for (const { body, want } of cases) it(body.type, async () => expect(await ask(body)).to.deep.equal(want));
});
