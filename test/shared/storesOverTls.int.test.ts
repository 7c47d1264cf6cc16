// `rediss://` and MongoDB's `tls=true`, with certificates of an authority that only this test knows.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { freePort } from '../support/ports.ts';
import { startSentinel } from '../support/sentinel.ts';
import { openRedis, type Store, startMongo, startRedis, tlsSettings } from '../support/stores.ts';

const PING = fileURLToPath(new URL('../support/pingStores.ts', import.meta.url));

describe('stores over TLS: the certificate is checked, against authorities that the operator names', () => {
  let certificates: Certificates;
  let redis: Store;
  let mongo: Store;
  let proxy: Server;
  let redisUrl: string;
  let mongoUrl: string;

  before(async () => {
    certificates = makeCertificates();
    const { key, cert } = certificates;
    const tlsPort = await freePort();
    redis = await startRedis({ settings: tlsSettings(certificates, tlsPort) });
    redisUrl = `rediss://localhost:${tlsPort}`;
    mongo = await startMongo({ memory: true });
    const { port } = mongo;
    // The stand-in for MongoDB knows no TLS: this ends it before the stand-in.
    proxy = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (client) => {
      const server = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
        one.pipe(other);
      }
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    mongoUrl = `mongodb://localhost:${(proxy.address() as AddressInfo).port}/?directConnection=true&tls=true`;
  });
  after(async () => {
    proxy.close();
    await Promise.all([redis.stop(), mongo.stop()]);
    certificates.remove();
  });

  async function ping(
    mongoAddress: string,
    env: Record<string, string>,
    redisAddress = redisUrl,
  ): Promise<{ redis: string; mongo: string }> {
    const args = ['--import', 'tsx', PING, redisAddress, mongoAddress];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return JSON.parse(stdout);
  }

  it('NODE_EXTRA_CA_CERTS names the authority for both', async () => {
    expect(await ping(mongoUrl, { NODE_EXTRA_CA_CERTS: certificates.ca })).to.deep.equal({ redis: 'PONG', mongo: 'ok 1' });
  });

  it('MongoDB takes it from its address, too; a store whose authority is unknown is not talked to', async () => {
    const told = await ping(`${mongoUrl}&tlsCAFile=${encodeURIComponent(certificates.ca)}`, {});
    expect(told.mongo).to.equal('ok 1');
    expect(told.redis).to.match(/certificate/);
  });

  it('the Sentinels and the master of `rediss+sentinel`, with users and passwords of their own', async () => {
    const masterPort = await freePort();
    const master = await startRedis({ settings: { ...tlsSettings(certificates, masterPort), masterauth: 'of-the-servers' } });
    const server = openRedis(master.url);
    await server.call('ACL', 'SETUSER', 'exchange', 'on', '>of-the-user', '~*', '&*', '+@all', '-@admin');
    await server.config('SET', 'requirepass', 'of-the-servers');
    server.disconnect();
    const passwords = { password: 'of-the-servers', ownPassword: 'of-the-sentinel' };
    const sentinel = await startSentinel({ master: 'main', masterPort, ...passwords, certificates, replicas: 0 });
    await sentinel.connection.call('ACL', 'SETUSER', 'reader', 'on', '>of-the-reader', '+@all', '&*');
    const place = `rediss+sentinel://exchange:of-the-user@localhost:${sentinel.tlsPort}/main`;
    const env = { NODE_EXTRA_CA_CERTS: certificates.ca };
    for (const access of ['sentinelPassword=of-the-sentinel', 'sentinelUsername=reader&sentinelPassword=of-the-reader']) {
      expect((await ping(mongoUrl, env, `${place}?${access}`)).redis).to.equal('PONG');
    }
    await sentinel.stop();
    await master.kill();
  });
});
