import { expect } from 'chai';
import { NO_PINS, readPins, withPin, writePins } from '../../../src/shared/domain/shards.ts';

/** As this form is stored in Redis for ever: version 1 never changes. */
const GOLDEN =
  '3 {"version":1,"number":3,"pins":[{"shard":2,"node":"actors-1","atMs":1795329600000},{"shard":9,"node":"actors-0","atMs":1795329700000}]}';

describe('shard pins: one record, replaced as a whole', () => {
  const record = {
    ...({ version: 1, number: 3 } as const),
    pins: [
      { shard: 2, node: 'actors-1', atMs: 1795329600000 },
      { shard: 9, node: 'actors-0', atMs: 1795329700000 },
    ],
  };

  it('is read and written in its stored form', () => {
    expect(readPins(GOLDEN)).to.deep.equal(record);
    expect(writePins(record)).to.equal(GOLDEN);
  });

  it('nothing stored means that nothing was moved; what a newer build has written is not read', () => {
    expect(readPins('')).to.deep.equal(NO_PINS);
    expect(readPins('4 {"version":2,"number":4,"moved":[]}')).to.equal(undefined);
  });

  it('what somebody has typed is not read, and nothing breaks off', () => {
    const typed = [
      'actors-1',
      '9 {"version":1',
      '9 null',
      '9 []',
      '9 {"version":1,"number":9}',
      '9 {"version":1,"number":9,"pins":{}}',
    ];
    const pins = ['9 {"version":1,"number":9,"pins":[{"shard":"2","node":"a"}]}', '9 {"version":1,"number":9,"pins":[null]}'];
    for (const text of [...typed, ...pins, `9${GOLDEN.slice(1)}`]) expect(readPins(text), text).to.equal(undefined);
  });

  it('a shard has one pin, in the order of shards, and each change has the next number', () => {
    const moved = withPin(record, { shard: 2, node: 'actors-3', atMs: 5 });
    expect(moved).to.deep.equal({ version: 1, number: 4, pins: [{ shard: 2, node: 'actors-3', atMs: 5 }, record.pins[1]] });
    expect(withPin(moved, { shard: 0, node: 'a', atMs: 6 }).pins.map(({ shard }) => shard)).to.deep.equal([0, 2, 9]);
    expect(withPin(moved, { shard: 2, atMs: 7 })).to.deep.equal({ version: 1, number: 5, pins: [record.pins[1]] });
  });
});
