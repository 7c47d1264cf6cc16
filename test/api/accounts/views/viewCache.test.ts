import { expect } from 'chai';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { accountCodec } from '../../../../src/actors/core/account/accountCodec.ts';
import { AccountView } from '../../../../src/api/accounts/views/accountView.ts';
import { ViewCache } from '../../../../src/api/accounts/views/viewCache.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT, type StoredForm } from '../../../../src/shared/domain/formats.ts';

const viewOf = (id: string): AccountView => {
  const state = { ...(accountCodec.write(emptyAccount(id)) as object), v: NEWEST_FORMAT } as StoredForm;
  return new AccountView({ token: 't', nextDueMs: null, state }, 0, tradingRules);
};
const { bytes: BYTES } = viewOf('x');

describe('ViewCache: those used last, up to a bound in bytes', () => {
  it('the one not used for longest makes room', () => {
    const cache = new ViewCache(8 * BYTES);
    const ids = Array.from({ length: 8 }, (_, n) => `a${n}`);
    for (const id of ids) cache.put(id, viewOf(id));
    cache.use('a0');
    cache.put('b', viewOf('b'));
    expect([cache.use('a0'), cache.use('a1')].map((view) => view?.account.id)).to.deep.equal(['a0', undefined]);
    expect(cache).to.include({ size: 8, bytes: 8 * BYTES, evicted: 1 });
  });

  it('what is kept counts, is dropped with its view, and six at most stay', () => {
    const cache = new ViewCache(80 * BYTES);
    const view = viewOf('a');
    cache.put('a', view);
    for (let n = 0; n < 8; n++) cache.keep(view, `k${n}`, { data: n, bytes: 100 });
    cache.keep(view, 'k7', { data: 70, bytes: 50 });
    expect(cache.bytes).to.equal(BYTES + 550);
    expect([cache.kept(view, 'k1'), cache.kept(view, 'k2')?.data, cache.kept(view, 'k7')?.data]).to.deep.equal([
      undefined,
      2,
      70,
    ]);
    const next = viewOf('a');
    cache.put('a', next);
    expect([cache.kept(view, 'k7'), cache.kept(next, 'k7'), cache.bytes]).to.deep.equal([undefined, undefined, BYTES]);
    cache.keep(view, 'late', { data: 1, bytes: 100 });
    expect(cache.bytes).to.equal(BYTES);
  });

  it('those that make room are told, with their view', () => {
    const evicted: string[] = [];
    const cache = new ViewCache(8 * BYTES, ({ account }) => evicted.push(account.id));
    for (let n = 0; n < 10; n++) cache.put(`a${n}`, viewOf(`a${n}`));
    cache.drop('a9');
    expect(evicted).to.deep.equal(['a0', 'a1']);
  });

  it('a view and what is kept beside it are an eighth of the bound together: the oldest of its own makes room', () => {
    const cache = new ViewCache(24 * BYTES);
    const view = viewOf('a');
    cache.put('a', view);
    for (let n = 0; n < 6; n++) cache.keep(view, `k${n}`, { data: n, bytes: BYTES });
    expect(cache).to.include({ size: 1, bytes: 3 * BYTES, evicted: 0 });
    expect([cache.kept(view, 'k3'), cache.kept(view, 'k4')?.data, cache.kept(view, 'k5')?.data]).to.deep.equal([undefined, 4, 5]);
    cache.keep(view, 'larger', { data: 6, bytes: 2 * BYTES + 1 });
    expect([cache.kept(view, 'larger'), cache.bytes]).to.deep.equal([undefined, 3 * BYTES]);
  });

  it('what is larger than an eighth of the bound is not held', () => {
    const cache = new ViewCache(7 * BYTES);
    expect(cache.put('a', viewOf('a'))).to.equal(false);
    const larger = new ViewCache(8 * BYTES);
    const view = viewOf('a');
    expect(larger.put('a', view)).to.equal(true);
    larger.keep(view, 'k', { data: 1, bytes: BYTES + 1 });
    expect([cache.bytes, larger.bytes]).to.deep.equal([0, BYTES]);
  });
});
