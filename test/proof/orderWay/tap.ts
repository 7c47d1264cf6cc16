// Loaded into a role before its own code (`node --import tsx --import <this>`). A client that connects to the socket
// `<TAP_DIR>/<role>` gets the files of src that ran since the last time, as JSON.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Coverage } from './coverage.ts';

const { TAP_DIR = '' } = process.env;
const role = process.argv.at(-1) ?? '';
const coverage = await Coverage.begin();
const server = createServer((socket) => {
  void coverage.filesSince().then((files) => socket.end(JSON.stringify(files)));
});
server.listen(join(TAP_DIR, role));
server.unref();
