import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { connectMongo, isMongoAway } from '../../../src/shared/mongo/mongo.ts';

describe('MONGO_URL that cannot be read', () => {
  const wrong = [
    ...['mongo:27017', 'http://host', 'mongodb://', 'mongodb://host:99999', 'mongodb://host/?colour=red'],
    ...['mongodb://u:secret', 'mongodb://u:secret/x@host', 'mongodb://u:secret#x@host', 'mongodb://u:secret%x@host'],
    ...['mongodb://u:secret@x@host', 'mongodb://u:secret@host:port'],
  ];
  for (const url of wrong) {
    it(`${url}: is named in a sentence that says how it is written, and shows no password`, () =>
      expect(() => connectMongo({ url, database: 'x', timeoutMs: 1 }))
        .to.throw(/^MONGO_URL: .+\. It is written mongodb:\/\/user:password@host.*%2F.*\.$/)
        .with.property('message')
        .not.include('secret'));
  }

  it('spaces and line ends around it, as files of secrets have them, do not matter', async () => {
    await connectMongo({ url: ' mongodb://127.0.0.1:1\n', database: 'x', timeoutMs: 1 }).close();
  });
});

/** Node's error for a write to a socket that the other side has ended. */
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

/** Some failures of the driver say that MongoDB is away, and the caller tries again. All others are a fault of ours. */
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
