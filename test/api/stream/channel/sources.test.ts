import { expect } from 'chai';
import { MarketStream } from '../../../../src/api/stream/channel/marketStream.ts';
import type { Broadcast } from '../../../../src/api/stream/channel/sharedChannel.ts';
import { followedSource } from '../../../../src/api/stream/channel/sources.ts';
import type { MarketChange } from '../../../../src/market/domain/feed.ts';

describe('followedSource: a state is sent when it changes, and no faster than its subscribers may have it', () => {
  const market = new MarketStream();
  let paceMs: number;
  let sent: string[];
  let made: number;
  const broadcast = {
    latest: (message: Buffer) => sent.push(String(message)),
    paceMs: () => paceMs,
  } as unknown as Broadcast;
  const change = (): void => market.onChanges([{ type: 'book', coin: 'BTC' } as unknown as MarketChange]);
  const open = () => followedSource(market, ['book:BTC'], { make: () => Buffer.from(`book ${++made}`), broadcast });

  beforeEach(() => {
    [paceMs, sent, made] = [0, [], 0];
  });

  it('at once', () => {
    const source = open();
    change();
    change();
    expect(sent).to.deep.equal(['book 2', 'book 3']);
    source.close();
  });

  it('slower where the pace says so: changes meanwhile cost nothing, and a newcomer sees the newest', () => {
    paceMs = 3_600_000;
    const source = open();
    for (let n = 0; n < 100; n++) change();
    expect([made, sent]).to.deep.equal([2, ['book 2']]);
    expect(source.snapshot().map(String)).to.deep.equal(['book 3']);
    for (let n = 0; n < 100; n++) change();
    expect(made).to.equal(3);
    paceMs = 0;
    change();
    expect(sent.at(-1)).to.equal('book 4');
    source.close();
  });
});
