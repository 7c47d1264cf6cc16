import { expect } from 'chai';
import fc from 'fast-check';
import { type NamedOrder, type OrderGroup, OrderMap } from '../../../../src/actors/core/account/orderMap.ts';

type Waiting = NamedOrder & { readonly oid: number };

const step = fc.record({
  change: fc.constantFrom('set' as const, 'set' as const, 'delete' as const, 'overlay' as const, 'readAll' as const),
  oid: fc.integer({ min: 1, max: 15 }),
  asset: fc.nat(1),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  reduceOnly: fc.boolean(),
  waitsFor: fc.constantFrom('mark' as const, 'fill' as const, 'book' as const),
  parentOid: fc.option(fc.integer({ min: 100, max: 102 }), { nil: undefined }),
  isOfPosition: fc.boolean(),
});

const GROUPS: readonly OrderGroup[] = [
  { parentOid: 100 },
  { parentOid: 101 },
  { positionIn: 0 },
  { positionIn: 1 },
  { waitingForMarkOf: 0 },
  { waitingForBookOf: 0 },
  { reducing: 0, side: 'buy' },
  { reducing: 1, side: 'sell' },
];

function isIn(group: OrderGroup, { asset, side, reduceOnly, waitsFor, trigger }: Waiting): boolean {
  if ('parentOid' in group) return trigger?.parentOid === group.parentOid;
  if ('positionIn' in group) return trigger?.grouping === 'positionTpsl' && asset === group.positionIn;
  if ('waitingForMarkOf' in group) return waitsFor === 'mark' && asset === group.waitingForMarkOf;
  if ('waitingForBookOf' in group) return waitsFor === 'book' && asset === group.waitingForBookOf;
  return (waitsFor === 'mark' || waitsFor === 'book') && reduceOnly && asset === group.reducing && side === group.side;
}

/** Several orders have one. */
const cloidOf = (oid: number): string => `0x${oid % 4}`;

function expectSame(orders: OrderMap<Waiting>, wanted: ReadonlyMap<number, Waiting>): void {
  expect(orders.size).to.equal(wanted.size);
  for (let oid = 1; oid <= 15; oid++) {
    expect(orders.get(oid)).to.equal(wanted.get(oid));
    expect(orders.has(oid)).to.equal(wanted.has(oid));
  }
  for (const cloid of ['0x0', '0x1', '0x2', '0x3', '0x4']) {
    const named = [...wanted.values()].filter((order) => order.cloid === cloid).sort((a, b) => a.oid - b.oid);
    expect(orders.findByCloid(cloid), cloid).to.equal(named.at(-1));
  }
  for (const group of GROUPS) {
    const members = [...wanted.values()].filter((order) => isIn(group, order)).sort((a, b) => a.oid - b.oid);
    expect(orders.inGroup(group), JSON.stringify(group)).to.deep.equal(members);
  }
}

describe('orderMap: an overlay is a map of its own', () => {
  it('it says what a copy would say, and the map below stays as it was', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let orders = new OrderMap<Waiting>();
        let wanted = new Map<number, Waiting>();
        const below: [orders: OrderMap<Waiting>, wanted: Map<number, Waiting>][] = [];
        for (const { change, oid, asset, side, reduceOnly, waitsFor, parentOid, isOfPosition } of steps) {
          if (change === 'delete') expect(orders.delete(oid)).to.equal(wanted.delete(oid));
          else if (change === 'readAll') expect([...orders]).to.deep.equal([...wanted]);
          else if (change === 'overlay') {
            below.push([orders, new Map(wanted)]);
            orders = orders.overlay();
            wanted = new Map(wanted);
          } else {
            const trigger = {
              price: '1',
              tpsl: 'sl' as const,
              isMarket: true,
              ...(parentOid !== undefined && { parentOid }),
              ...(isOfPosition && { grouping: 'positionTpsl' as const }),
            };
            const order = { oid, cloid: cloidOf(oid), asset, side, reduceOnly, waitsFor, trigger };
            orders.set(oid, order);
            wanted.set(oid, order);
          }
          expectSame(orders, wanted);
        }
        for (const [older, words] of below) expectSame(older, words);
        expect([...orders]).to.deep.equal([...wanted]);
      }),
    );
  });

  it('a change below an overlay that is still read is a fault', () => {
    const order: Waiting = { oid: 1, asset: 0, side: 'buy', reduceOnly: false };
    const below = new OrderMap<Waiting>([[1, order]]);
    const overlay = below.overlay();
    below.delete(1);
    expect(() => overlay.get(1)).to.throw('changed while an overlay of them was in use');
  });
});
