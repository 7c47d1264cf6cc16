import { expect } from 'chai';
import { readTraceparent, writeTraceparent } from '../../../src/shared/tracing/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent: W3C’s syntax, strictly', () => {
  const read: [string, string, boolean][] = [
    ['sampled', `00-${TRACE}-${SPAN}-01`, true],
    ['not sampled', `00-${TRACE}-${SPAN}-00`, false],
    ['flags that it does not know beside the one that it knows', `00-${TRACE}-${SPAN}-ff`, true],
    ['a later version', `01-${TRACE}-${SPAN}-01`, true],
    ['a later version with more in it', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
  ];
  for (const [name, text, isSampled] of read) {
    it(`reads ${name}`, () => expect(readTraceparent(text)).to.deep.equal({ traceId: TRACE, spanId: SPAN, isSampled }));
  }

  const ignored: [string, string | string[] | undefined][] = [
    ['none', undefined],
    ['two of them', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
    ['two in one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['an empty one', ''],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['the version that there will never be', `ff-${TRACE}-${SPAN}-01`],
    ['more than the first version has', `00-${TRACE}-${SPAN}-01-more`],
    ['a later version with more that is not set apart', `01-${TRACE}-${SPAN}-01more`],
    ['a trace without a number', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span without a number', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a trace that is too long', `00-${TRACE}0-${SPAN}-01`],
    ['a span that is too short', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['letters that are no digits', `00-${TRACE.replace('4', 'g')}-${SPAN}-01`],
    ['a second line', `00-${TRACE}-${SPAN}-01\n`],
    ['what would be a log line', `00-${TRACE}-${SPAN}-01","level":60`],
  ];
  for (const [name, text] of ignored) it(`ignores ${name}`, () => expect(readTraceparent(text)).to.equal(undefined));

  it('is read as it is written', () =>
    expect(readTraceparent(writeTraceparent({ traceId: TRACE, spanId: SPAN }))).to.deep.equal({
      ...{ traceId: TRACE, spanId: SPAN, isSampled: true },
    }));
});
