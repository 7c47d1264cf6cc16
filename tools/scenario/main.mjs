// bin/scenario: sends a scenario file to `POST /control` and prints what it was answered. Plain Node without packages: the exchange reads
// the file.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const USAGE = `Runs a scenario file (docs/control.md) against an exchange whose CONTROL is on, and answers when it has come to its end.

  bin/scenario FILE [--url URL] [--key KEY] [--until STEP] [--after STEP]

  --url URL      of the exchange, without a path (default: BASE_URL, else http://127.0.0.1:3000)
  --key KEY      an API key (default: API_KEY)
  --until STEP   ends with the step that has this name (as)
  --after STEP   begins behind it
`;

async function main() {
  const options = /** @type {const} */ ({ type: 'string' });
  const known = { url: options, key: options, until: options, after: options, help: { type: /** @type {const} */ ('boolean') } };
  const { values, positionals } = parseArgs({ options: known, allowPositionals: true });
  if (values.help) return process.stdout.write(USAGE);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Error('One scenario file has to be named; bin/scenario --help shows how.');
  const { url = process.env['BASE_URL'] || 'http://127.0.0.1:3000', key = process.env['API_KEY'] ?? '', until, after } = values;
  const response = await fetch(new URL('/control', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ action: 'scenario', file: readFileSync(path, 'utf8'), until, after }),
  });
  const text = await response.text();
  if (response.status === 200) return process.stdout.write(`${text}\n`);
  throw new Error(detailOf(text) ?? `HTTP ${response.status}`);
}

/** @param {string} text */
function detailOf(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return undefined; // of something else than the exchange
  }
}

main().catch((error) => {
  const cause = error.cause?.message ?? error.cause?.code;
  process.stderr.write(`${error.message}${cause ? ` (${cause})` : ''}\n`);
  process.exitCode = 1;
});
