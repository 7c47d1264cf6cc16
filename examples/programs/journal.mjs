// Saves the account's journal and checks its hash chain line by line (docs/export.md). What the entries come to is recomputed by
// `bin/admin verify journal.jsonl` and `python3 tools/verify/verify_journal.py journal.jsonl`.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { api, logIn } from './exchange.mjs';

const [file = 'journal.jsonl'] = process.argv.slice(2);
const token = await logIn();
const address = `${api}/v1/exchanges/perpx/account/export?kind=journal`;
const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
const out = createWriteStream(file);
let [chain, lines, end] = ['', 0];
for await (const line of linesOf(response.body)) {
  const [, hash, rest] = /^\{"hash":"([0-9a-f]{64})",(.*)$/.exec(line);
  chain = createHash('sha256')
    .update(chain + rest)
    .digest('hex');
  if (chain !== hash) throw new Error(`line ${lines + 1} is not what was written`);
  lines += 1;
  end = JSON.parse(line).end;
  out.write(`${line}\n`);
}
out.end();
if (end?.complete !== true) throw new Error(`it is cut off after ${lines} lines: ${JSON.stringify(end?.error ?? null)}`);
console.log(
  `${file}: ${lines} lines, chain ${chain.slice(0, 12)}, balance ${end.balance_usd}, state ${end.state_hash.slice(0, 15)}`,
);

async function* linesOf(body) {
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + piece).split('\n');
    text = parts.pop();
    yield* parts;
  }
  if (text !== '') yield text;
}
