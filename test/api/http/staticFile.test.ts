import { expect } from 'chai';
import Koa, { type Context } from 'koa';
import { StaticFile } from '../../../src/api/http/staticFile.ts';

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(100);

describe('static file: compressed once, answered from memory', () => {
  /** A context of a request with these headers, without a connection. */
  const contextOf = (headers: Record<string, string>): Context => {
    const sent: Record<string, unknown> = {};
    const response = {
      getHeader: (name: string) => sent[name.toLowerCase()],
      setHeader: (name: string, value: unknown) => {
        sent[name.toLowerCase()] = value;
      },
      removeHeader: (name: string) => delete sent[name.toLowerCase()],
      hasHeader: (name: string) => name.toLowerCase() in sent,
      getHeaders: () => sent,
      headersSent: false,
    };
    return new Koa().createContext({ headers, method: 'GET', url: '/', socket: {} } as never, response as never) as Context;
  };
  const ask = async (file: StaticFile, headers: Record<string, string> = {}): Promise<Context> => {
    const ctx = contextOf(headers);
    await file.answer(ctx);
    return ctx;
  };

  it('reads and compresses once for all requests', async () => {
    let reads = 0;
    const read = (): string => {
      reads += 1;
      return TEXT;
    };
    const file = new StaticFile({ type: 'text/plain', read });
    const bodies = await Promise.all(Array.from({ length: 20 }, async () => (await ask(file, { 'accept-encoding': 'br' })).body));
    expect(reads).to.equal(1);
    for (const body of bodies) expect(body).to.equal(bodies[0]);
  });

  const cases: [accepted: string, encoding: string][] = [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', ''],
    ['', ''],
  ];
  for (const [accepted, encoding] of cases) {
    it(`Accept-Encoding "${accepted}" gets ${encoding || 'the text as it is'}`, async () => {
      const ctx = await ask(
        new StaticFile({ type: 'text/plain', read: () => TEXT }),
        accepted ? { 'accept-encoding': accepted } : {},
      );
      expect(ctx.response.get('Content-Encoding') ?? '').to.equal(encoding);
    });
  }

  it('a small file and a picture are sent as they are', async () => {
    for (const file of [
      new StaticFile({ type: 'text/plain', read: () => 'short' }),
      new StaticFile({ type: 'image/png', read: () => TEXT }),
    ]) {
      expect((await ask(file, { 'accept-encoding': 'br' })).response.get('Content-Encoding') ?? '').to.equal('');
    }
  });

  it('another form has another ETag, and a failed read is read again', async () => {
    let isBroken = true;
    const file = new StaticFile({
      type: 'text/plain',
      read: () => {
        if (isBroken) throw new Error('the disk is away');
        return TEXT;
      },
    });
    expect(await ask(file).catch((error: Error) => error.message)).to.equal('the disk is away');
    isBroken = false;
    const [plain, packed] = [await ask(file), await ask(file, { 'accept-encoding': 'gzip' })];
    expect(plain.response.get('ETag')).not.to.equal(packed.response.get('ETag'));
    expect((await ask(file, { 'if-none-match': plain.response.get('ETag') })).status).to.equal(304);
  });
});
