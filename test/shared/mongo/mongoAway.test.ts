// Which failures of the driver count as MongoDB being away, and are tried again, and which are a fault of ours.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { isMongoAway } from '../../../src/shared/mongo/mongo.ts';

/** What Node says of a write to a socket that the other side has ended. */
async function errorOfAnEndedSocket(): Promise<unknown> {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const failed = once(socket, 'error').catch((error: unknown) => [error]);
  socket.resume();
  await once(socket, 'end');
  socket.write('more');
  const [error] = await failed;
  socket.destroy();
  server.close();
  return error;
}

describe('MongoDB away', () => {
  it('counts a socket that the other side has ended, as the driver passes it on', async () => {
    const error = await errorOfAnEndedSocket();
    expect(error).to.be.instanceOf(Error).with.property('code', 'EPIPE');
    expect(isMongoAway(error)).to.equal(true);
  });

  it('counts the errors of the network and those of a member that is no primary', () => {
    expect(isMongoAway(new MongoNetworkError('connection 1 to 127.0.0.1:1 closed'))).to.equal(true);
    expect(isMongoAway(new MongoServerError({ message: 'not primary', code: 10_107 }))).to.equal(true);
  });

  it('does not count a command that was refused, nor an error of our own', () => {
    expect(isMongoAway(new MongoServerError({ message: 'E11000 duplicate key', code: 11_000 }))).to.equal(false);
    expect(isMongoAway(new TypeError('x is not a function'))).to.equal(false);
    expect(isMongoAway(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).to.equal(false);
  });
});
