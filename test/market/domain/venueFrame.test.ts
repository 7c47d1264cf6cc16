// Every recorded market frame and answer can be read; text that is not the venue's is refused with a reason.
import { expect } from 'chai';
import { readBook, readFrame, readMetaAndContexts, UnreadableFrame } from '../../../src/market/domain/venueFrame.ts';
import { readRecording } from '../../support/recordings.ts';

/** The pushed frame of a recording: the last of its frames. */
function frameOf(name: string): string {
  const { response } = readRecording(name);
  return JSON.stringify(Array.isArray(response) ? response.at(-1) : response);
}

describe('venueFrame: recorded frames', () => {
  it('reads a book', () => {
    const change = readFrame(frameOf('ws.l2Book'), 5);
    expect(change).to.deep.include({ type: 'book', coin: 'HYPE', timeMs: 1764842873555 });
    expect(change).to.have.deep.nested.property('bids[0]', ['34.967', '2.85', 1]);
  });

  it('reads a best bid and offer', () => {
    expect(readFrame(frameOf('ws.bbo'), 5)).to.deep.equal({
      type: 'bbo',
      coin: 'HYPE',
      timeMs: 1766566375292,
      bid: ['23.757', '42.09', 1],
      ask: ['23.758', '100.26', 2],
    });
  });

  it('reads trades with the side of the aggressor', () => {
    const frame = readFrame(frameOf('ws.trades'), 5);
    expect(frame).to.have.nested.property('trades[0].side', 'buy');
    expect(frame).to.have.nested.property('trades[0].tid', 716095722814130);
  });

  it('reads mids and stamps them with the time of receiving', () => {
    expect(readFrame(frameOf('ws.allMids'), 5)).to.deep.equal({
      type: 'mids',
      timeMs: 5,
      mids: { '0G': '1.2017', '2Z': '0.129165' },
    });
  });

  it('reads a candle, sent as an object or as the documented list', () => {
    const want = {
      type: 'candle',
      coin: 'HYPE',
      timeMs: 5,
      candle: {
        t: 1764806400000,
        T: 1764892799999,
        s: 'HYPE',
        i: '1d',
        o: '34.668',
        c: '34.868',
        h: '36.219',
        l: '34.251',
        v: '3495670.8399999999',
        n: 102895,
      },
    };
    expect(readFrame(frameOf('ws.candle'), 5)).to.deep.equal(want);
    expect(readFrame(JSON.stringify({ channel: 'candle', data: [want.candle] }), 5)).to.deep.equal(want);
  });

  it('passes over acknowledgements, channels that are not its own, and pongs', () => {
    expect(readFrame(frameOf('ws.orderUpdates'), 5).type).to.equal('other');
    expect(readFrame('{"channel":"pong"}', 5)).to.deep.equal({ type: 'other', channel: 'pong' });
  });

  it('reads the whole recorded meta and contexts, fields that it does not know included', () => {
    const { meta, contexts } = readMetaAndContexts(readRecording('info.metaAndAssetCtxs').response);
    expect(meta.universe).to.have.length(228);
    expect(contexts[0]).to.deep.equal((readRecording('info.metaAndAssetCtxs').response as unknown[][])[1]?.[0]);
    expect(contexts[3]?.midPx).to.equal(null);
  });

  it('reads recorded books by REST', () => {
    for (const name of ['info.l2Book', 'info.l2Book.2023', 'info.l2Book.spot']) {
      expect(readBook(readRecording(name).response).bids.length, name).to.be.greaterThan(0);
    }
  });

  it('sorts trades oldest first', () => {
    const trade = (time: number, tid: number): unknown => ({ coin: 'X', side: 'A', px: '1.0', sz: '1.0', time, tid });
    const frame = readFrame(JSON.stringify({ channel: 'trades', data: [trade(3, 5), trade(3, 4), trade(1, 3)] }), 5);
    expect(frame)
      .to.have.property('trades')
      .that.satisfies((trades: { tid: number }[]) => trades.map((t) => t.tid).join() === '3,4,5');
  });
});

describe('venueFrame: what is not the venue’s', () => {
  const book = (levels: unknown): unknown => ({ channel: 'l2Book', data: { coin: 'BTC', time: 1, levels } });
  const trade = (fields: object): unknown => ({
    channel: 'trades',
    data: [{ coin: 'BTC', side: 'A', px: '1.0', sz: '1.0', time: 1, tid: 1, ...fields }],
  });
  const cases: { name: string; frame: unknown }[] = [
    { name: 'a number', frame: 1 },
    { name: 'null', frame: null },
    { name: 'a book without levels', frame: book(undefined) },
    { name: 'a book with one side', frame: book([[]]) },
    { name: 'a price that is a number', frame: book([[{ px: 1, sz: '1.0', n: 1 }], []]) },
    { name: 'NaN', frame: book([[{ px: 'NaN', sz: '1.0', n: 1 }], []]) },
    { name: 'a negative size', frame: book([[{ px: '1.0', sz: '-1.0', n: 1 }], []]) },
    { name: 'an exponent', frame: trade({ px: '1e5' }) },
    { name: 'a time with decimals', frame: trade({ time: 1.5 }) },
    { name: 'an id beyond 2^53', frame: trade({ tid: 2 ** 53 }) },
    { name: 'a side that is none', frame: trade({ side: 'X' }) },
    { name: 'an empty list of candles', frame: { channel: 'candle', data: [] } },
    { name: 'a context without a mark', frame: { channel: 'activeAssetCtx', data: { coin: 'BTC', ctx: {} } } },
  ];
  for (const { name, frame } of cases) {
    it(name, () => expect(() => readFrame(JSON.stringify(frame), 5)).to.throw(UnreadableFrame));
  }
  it('text that is not JSON', () => expect(() => readFrame('{', 5)).to.throw(UnreadableFrame, 'not JSON'));
});
