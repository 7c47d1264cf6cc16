// The demo account at the root of a port of its own: /info, /exchange and /ws, for clients that know a host only and
// can be given no path. It adds the account's key to the path and passes everything else on as it is. No key is asked
// for, so it listens on loopback alone and refuses what a web page could send: another Host, another Origin.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

/** Several clients ship this one as the address of a local node. */
export const ROOT_PORT = 3001;
const PATHS = ['/info', '/exchange', '/ws'];
const OWN_NAMES = ['127.0.0.1', 'localhost'];

/** @typedef {{ url: string, stop: () => Promise<void>, kill: () => void }} RootAccount */

/**
 * @param {object} account
 * @param {string} account.baseUrl of the API, over http
 * @param {string} account.apiKey whose account answers
 * @param {number} [wanted] port of loopback; a free one in its place when it is taken
 * @returns {Promise<RootAccount>} `stop` ends every connection
 */
export async function openRootAccount({ baseUrl, apiKey }, wanted = ROOT_PORT) {
  const api = new URL(baseUrl);
  const prefix = `/v1/exchanges/perpx/key/${apiKey}`;
  /** @type {Set<import('node:stream').Duplex>} */
  const sockets = new Set();
  const server = createServer((incoming, answer) => {
    const refusal = refusalOf(incoming);
    if (refusal) {
      answer.writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' });
      answer.end(JSON.stringify({ error: refusal.code, detail: refusal.detail }));
      return;
    }
    const { method, headers } = incoming;
    const options = { host: hostOf(api), port: api.port, path: prefix + incoming.url, method, headers };
    const asked = request(options, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
      answered.pipe(answer);
      answered.once('error', () => answer.destroy());
    });
    asked.once('error', () => {
      if (answer.headersSent) return void answer.destroy();
      answer.writeHead(502, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ error: 'unavailable', detail: `The API at ${baseUrl} did not answer.` }));
    });
    answer.once('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  server.on('connection', (socket) => keep(socket));
  server.on('upgrade', (incoming, socket, head) => {
    // The client may go at any time; its end of the pair then ends with it.
    socket.on('error', () => socket.destroy());
    const refusal = refusalOf(incoming);
    if (refusal) return void socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    const upstream = keep(connect(Number(api.port), hostOf(api)));
    upstream.once('connect', () => {
      upstream.write(`GET ${prefix}${incoming.url} HTTP/1.1\r\n${headerLines(incoming.rawHeaders)}\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => upstream.destroy());
    upstream.once('close', () => socket.destroy());
    socket.once('close', () => upstream.destroy());
  });

  /** @template {import('node:stream').Duplex} T @param {T} socket @returns {T} */
  function keep(socket) {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  }
  const kill = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  await listen(server, wanted);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    kill,
    stop: async () => {
      const closed = once(server, 'close');
      kill();
      await closed;
    },
  };
}

/**
 * @param {import('node:http').Server} server
 * @param {number} wanted
 */
async function listen(server, wanted) {
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE' || wanted === 0) throw error;
    await listen(server, 0);
  }
}

/**
 * A page of the web reaches loopback through the browser, but cannot hide where it comes from.
 * @param {import('node:http').IncomingMessage} incoming
 * @returns {{ status: number, code: string, detail: string } | undefined}
 */
function refusalOf({ url = '', headers, socket }) {
  const own = OWN_NAMES.map((name) => `${name}:${socket.localPort}`);
  const { host = '', origin } = headers;
  if (!own.includes(host) || (origin !== undefined && !own.some((name) => origin === `http://${name}`))) {
    return {
      status: 403,
      code: 'forbidden',
      detail: `Programs of this machine may call here, as ${own.join(' or ')}; no web page.`,
    };
  }
  if (PATHS.includes(url.split('?')[0] ?? '')) return undefined;
  return { status: 404, code: 'not_found', detail: `The demo account answers at ${PATHS.join(', ')} here.` };
}

/** Without brackets, for an IPv6 address. @param {URL} url */
const hostOf = (url) => url.hostname.replace(/^\[|\]$/g, '');

/** @param {readonly string[]} raw names and values in turn */
function headerLines(raw) {
  let lines = '';
  for (let at = 0; at < raw.length; at += 2) lines += `${raw[at]}: ${raw[at + 1]}\r\n`;
  return lines;
}
