// Ports for the servers of tests. A port that the system calls free comes from the range of which it takes one for every
// connection, so another may have it before a server that takes seconds to start listens on it. These are from below that range.
// Each process of tests has a block of its own, and holds it for its life by listening on the block's first port.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Above 10,080, the last of the ports that `fetch` refuses. */
const FIRST = 10_110;
const BLOCK = 110;
const BLOCKS = 200;

let ownBlock: Promise<number> | undefined;
let given = 0;

/** A port that nothing listens on, and that no other test is given. */
export async function freePort(): Promise<number> {
  ownBlock ??= takeBlock();
  const first = await ownBlock;
  for (let tried = 1; tried < BLOCK; tried++) {
    given += 1;
    const port = first + 1 + (given % (BLOCK - 1));
    const server = await listening(port);
    if (server === undefined) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`something listens on each port from ${first} to ${first + BLOCK - 1}`);
}

async function takeBlock(): Promise<number> {
  for (let tried = 0; tried < BLOCKS; tried++) {
    const first = FIRST + BLOCK * ((process.pid + tried) % BLOCKS);
    const server = await listening(first);
    if (server === undefined) continue;
    server.unref();
    return first;
  }
  throw new Error('all blocks of ports are taken');
}

/** Undefined when the port is taken. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  const isListening = new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true));
    server.once('error', () => resolve(false));
  });
  server.listen(port, '127.0.0.1');
  return (await isListening) ? server : undefined;
}
