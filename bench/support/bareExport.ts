// The bare stream to compare exports with: Koa that sends the same bytes in pieces of the same size from memory. It is a process of its own
// and prints its port on standard output.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Koa from 'koa';

const PIECE_BYTES = 128 * 1024;
const bytes = readFileSync(process.argv[2] as string);

async function* pieces(): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

const app = new Koa();
app.use((ctx) => {
  ctx.type = 'application/jsonl';
  ctx.body = Readable.from(pieces(), { objectMode: false });
});
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
