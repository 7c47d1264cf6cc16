import { expect } from 'chai';
import { AuditLog, type AuditRecord } from '../../../src/shared/mongo/auditLog.ts';
import { connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { type Store, startMongo } from '../../support/stores.ts';

const TIME_MS = 1_795_000_000_000;

describe('auditLog: acts of a user, newest first', () => {
  let store: Store;
  let mongo: MongoConnection;
  let audit: AuditLog;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'test', timeoutMs: 2000 });
    audit = new AuditLog(mongo);
  });
  after(async () => {
    await mongo.close();
    await store.stop();
  });

  const act = (userId: string, timeMs: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
    ...{ userId, action: 'login', outcome: 'ok', actor: 'user', address: '192.0.2.1', timeMs, ...more },
  });

  it('pages by time, whatever is written between two pages, and shows no row of another user', async () => {
    for (let n = 0; n < 5; n++) await audit.write(act('user_a', TIME_MS + n, { detail: String(n) }));
    await audit.write(act('user_ab', TIME_MS));
    const first = await audit.page('user_a', { limit: 2 });
    await audit.write(act('user_a', TIME_MS + 9));
    const rest = await audit.page('user_a', { limit: 9, before: first[1]?._id ?? '' });
    expect([...first, ...rest].map(({ detail }) => detail)).to.deep.equal(['4', '3', '2', '1', '0']);
  });

  it('writes an act with a name once, and two acts of one millisecond without one twice', async () => {
    const paid = act('user_b', TIME_MS, { action: 'invoice.paid', actor: 'job:invoice-poll', once: 'invoice_1' });
    await Promise.all([audit.write(paid), audit.write(paid), audit.write(paid)]);
    expect(await audit.page('user_b', { limit: 9 })).to.have.length(1);
    await Promise.all([audit.write(act('user_c', TIME_MS)), audit.write(act('user_c', TIME_MS))]);
    expect(await audit.page('user_c', { limit: 9 })).to.have.length(2);
  });

  it('of refusals and refreshes the first 20 of a kind in an hour have rows, the rest one with their number', async () => {
    const hourMs = TIME_MS - (TIME_MS % 3_600_000) + 36_000_000;
    const refused = (n: number): Promise<void> =>
      audit.write(act('user_e', hourMs + n, { outcome: 'refused', actor: 'anonymous' }));
    for (let n = 1; n <= 20; n++) await refused(n);
    expect(await audit.page('user_e', { limit: 99 })).to.have.length(20);
    await Promise.all(Array.from({ length: 80 }, (_, n) => refused(100 + n)));
    await audit.write(act('user_e', hourMs + 500));
    await audit.write(act('user_e', hourMs + 3_600_001, { outcome: 'refused' }));
    const rows = await audit.page('user_e', { limit: 99 });
    expect(rows).to.have.length(20 + 1 + 1 + 1);
    expect(rows.at(-1)).to.deep.include({
      action: 'login',
      outcome: 'refused',
      actor: 'several',
      count: 100,
      at: new Date(hourMs),
    });
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => audit.write(act('user_f', hourMs + n, { action: 'token.refreshed' }))),
    );
    expect(await audit.page('user_f', { limit: 99 })).to.have.length(21);
  });

  it('removes what is older than a time and nothing else, however often', async () => {
    for (const timeMs of [TIME_MS - 2, TIME_MS - 1, TIME_MS]) await audit.write(act('user_d', timeMs));
    expect(await audit.removeBefore(TIME_MS)).to.equal(2);
    expect(await audit.removeBefore(TIME_MS)).to.equal(0);
    expect((await audit.page('user_d', { limit: 9 })).map(({ at }) => at.getTime())).to.deep.equal([TIME_MS]);
  });
});
