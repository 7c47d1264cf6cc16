import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { expect } from 'chai';
import { GONE_AFTER_MS, PING_AFTER_MS } from '../../../src/api/stream/heartbeat.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PING_OPCODE = 0x89;

describe('heartbeat: a client that has gone without a word is noticed, however much it is sent', () => {
  const stores = useStores();
  let node: ApiNode;
  let apiKey: string;
  let offsetMs = 0;
  let client: StreamClient;
  let mute: Socket;

  before(async () => {
    node = await ApiNode.start(stores, { now: () => Date.now() + offsetMs });
    ({ apiKey } = await node.createKey(await node.register()));
  });
  after(async () => {
    mute.destroy();
    await client.stop();
    await node.stop();
  });

  it('who answers no ping is ended before a minute; a stock client answers by itself and stays', async () => {
    client = await StreamClient.connect(node.baseUrl, { apiKey });
    const pinged = once(client.socket, 'ping');
    // It reads what comes and sends nothing, as where its packets are lost.
    mute = connectTcp(Number(new URL(node.baseUrl).port), '127.0.0.1');
    const upgrade = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'a'.repeat(22)}==`,
    ];
    mute.write([`GET /v1/exchanges/perpx/key/${apiKey}/ws HTTP/1.1`, 'Host: x', ...upgrade, '', ''].join('\r\n'));
    let bytes = Buffer.alloc(0);
    mute.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
    });
    const gone = once(mute, 'close');
    await until(() => bytes.includes('101 Switching Protocols'));
    const frames = bytes.length;
    offsetMs += PING_AFTER_MS;
    await pinged;
    await until(() => bytes.length > frames);
    expect(bytes[frames]).to.equal(PING_OPCODE);
    client.send({ method: 'ping' });
    expect(await client.next()).to.deep.equal({ channel: 'pong' });
    offsetMs += GONE_AFTER_MS - PING_AFTER_MS;
    await gone;
    client.send({ method: 'ping' });
    expect(await client.next()).to.deep.equal({ channel: 'pong' });
  });
});
