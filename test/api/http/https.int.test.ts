import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { get as getPlain, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { readTlsFiles } from '../../../src/api/http/httpServer.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { type Certificates, makeCertificates } from '../../support/certificates.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

interface Told {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe('https: the API with a key and a certificate of its own', () => {
  const stores = useStores();
  let certificates: Certificates;
  let node: ApiNode;
  let port: number;

  before(async () => {
    certificates = makeCertificates();
    node = await ApiNode.start(stores, { env: { HTTPS_KEY: certificates.key, HTTPS_CERT: certificates.cert } });
    port = Number(new URL(node.baseUrl).port);
  });
  after(async () => {
    await node.stop();
    certificates.remove();
  });

  const ca = (): Buffer => readFileSync(certificates.ca);
  function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Told> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, method, ca: ca(), agent: false as const };
      const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  const serial = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ host: '127.0.0.1', port, ca: ca() }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.on('error', reject);
    });

  it('answers over TLS, and tells browsers to come by https only', async () => {
    const { status, headers } = await ask('GET', '/health/live');
    expect(status).to.equal(200);
    expect(headers['strict-transport-security']).to.match(/^max-age=31536000/);
  });

  it('carries the WebSocket', async () => {
    const user = await ask('POST', '/v1/auth/register', { email: 'tls@example.com', password: 'a rather good password' });
    const authorization = `Bearer ${JSON.parse(user.text).access_token}`;
    const key = await ask('POST', '/v1/auth/api-keys', { name: 'bot' }, { authorization });
    const socket = new WebSocket(`wss://127.0.0.1:${port}/v1/exchanges/perpx/ws`, {
      ca: ca(),
      headers: { 'x-api-key': JSON.parse(key.text).api_key },
    });
    const answer = new Promise((resolve, reject) => {
      socket.on('message', (data) => resolve(String(data)));
      socket.on('error', reject);
    });
    socket.on('open', () => socket.send('{"method":"ping"}'));
    expect(await answer).to.equal('{"channel":"pong"}');
    socket.close();
  });

  it('closes a connection that speaks no TLS', async () => {
    const failure = await new Promise((resolve) =>
      getPlain(`http://127.0.0.1:${port}/health/live`, resolve).on('error', resolve),
    );
    expect(failure).to.be.instanceOf(Error);
    const silent = connect(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    expect((await ask('GET', '/health/live')).status).to.equal(200);
    silent.destroy();
  });

  /** As the metrics say it, seconds since the epoch. */
  const shownEnd = async (): Promise<number> =>
    Number(/^api_certificate_end_timestamp_seconds (.*)$/m.exec(await node.registry.metrics())?.[1]);
  const endOf = (pem: Buffer): number => Date.parse(new X509Certificate(pem).validTo) / 1000;

  it('shows operators when its certificate ends', async () => {
    expect(await shownEnd())
      .to.equal(endOf(readFileSync(certificates.cert)))
      .and.be.greaterThan(Date.now() / 1000);
  });

  it('takes a renewed certificate into use without a restart, and keeps the old one when the new one is wrong', async () => {
    const before = await serial();
    certificates.renew();
    await until(async () => (await serial()) !== before);
    const renewed = await serial();
    const good = readFileSync(certificates.cert);
    writeFileSync(certificates.cert, 'no certificate');
    await until(() => node.logLines.some((line) => line.includes('the renewed certificate cannot be used')));
    expect(await serial()).to.equal(renewed);
    expect(await shownEnd(), 'of the certificate in use, not of the file').to.equal(endOf(good));
    writeFileSync(certificates.cert, good);
  });

  it('a wrong file stops the start with a sentence that names it', () => {
    const { key, cert, ca: other } = certificates;
    expect(() => readTlsFiles({ key: '/nowhere/key.pem', cert })).to.throw('HTTPS_KEY: the file /nowhere/key.pem cannot be read');
    expect(() => readTlsFiles({ key, cert: other })).to.throw(
      /HTTPS_KEY \(.*\) and HTTPS_CERT \(.*\) are no key and its certificate/,
    );
    expect(() => readConfig({ HTTPS_KEY: key })).to.throw('give both or neither');
  });

  it('HSTS behind a proxy that is believed and says https; not over plain http', async () => {
    const proxied = await ApiNode.start(stores, { env: { PROXY_HOPS: '1' } });
    const hsts = async (headers: Record<string, string>): Promise<string | null> =>
      (await proxied.request('GET', '/health/live', { headers })).headers.get('strict-transport-security');
    expect(await hsts({ 'x-forwarded-proto': 'https' })).to.match(/^max-age=/);
    expect(await hsts({ 'x-forwarded-proto': 'http' })).to.equal(null);
    expect(await hsts({})).to.equal(null);
    await proxied.stop();
    const plain = await ApiNode.start(stores);
    const { headers } = await plain.request('GET', '/health/live', { headers: { 'x-forwarded-proto': 'https' } });
    expect(headers.get('strict-transport-security')).to.equal(null);
    await plain.stop();
  });
});
