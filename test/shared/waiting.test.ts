import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { RetryableError } from '../../src/shared/errors.ts';
import { withTimeout } from '../../src/shared/waiting.ts';

const MS = 20;

describe('withTimeout', () => {
  let server: Server;
  let asking: Socket;
  let answering: Socket;

  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    asking = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [answering] = (await accepted) as [Socket];
  });
  after(() => {
    asking.destroy();
    answering.destroy();
    server.close();
  });

  const answer = async (): Promise<string> => String((await once(asking, 'data'))[0]);

  it('ends a wait, and says for what', async () => {
    const error = await withTimeout(MS, 'the other side', answer()).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(RetryableError);
    expect(String(error)).to.contain(`the other side took more than ${MS} ms`);
  });

  it('an answer that came while the process slept counts, however long that was', async () => {
    const waiting = withTimeout(MS, 'the other side', answer());
    answering.write('here');
    for (const sleptFrom = performance.now(); performance.now() < sleptFrom + 3 * MS; );
    expect(await waiting).to.equal('here');
  });
});
