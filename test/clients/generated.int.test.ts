// The published contract of the running service as others read it: two linters, and clients that three generators make of it. The one for
// Python trades.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { COIN, type SharedStack, sharedStack } from '../compat/sharedStack.ts';
import { installGenerators, listed, made, run } from './generated/generators.ts';
import { requireTraded } from './judge.ts';

const CONTRACT = 'openapi.json';
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
/** Types that a person looks for; the compiler says when one is missing or is anything. */
const READER = `import type { components } from './schema.js';
import { type AccountFill, type Fill, listFills } from './client/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sides: Same<components['schemas']['Side'], 'B' | 'A'> = true;
const prices: Same<components['schemas']['Fill']['px'], Fill['px']> = true;
export const known = [sides, prices];

export async function read(): Promise<AccountFill[]> {
  const { data, error } = await listFills({ path: { exchange: 'perpx' }, query: { limit: 10 } });
  if (data === undefined) throw new Error(error?.code);
  return data.items;
}
`;
const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
};

describe('the published contract of the running service, as others read it', function () {
  this.timeout(600_000);
  let shared: SharedStack;

  before(async () => {
    await installGenerators();
    shared = await sharedStack();
    const answer = await fetch(`${shared.stack.baseUrl}/v1/openapi.json`);
    writeFileSync(join(made, CONTRACT), await answer.text());
  });

  it('redocly has no complaint', async () => {
    const { stdout } = await run('redocly', ['lint', CONTRACT, '--config', listed('redocly.yaml'), '--format', 'json']);
    expect(JSON.parse(stdout).problems).to.deep.equal([]);
  });

  it('spectral has no complaint', async () => {
    const { stdout } = await run('spectral', ['lint', CONTRACT, '--ruleset', listed('spectral.yaml'), '--fail-severity', 'hint']);
    expect(stdout).to.include('No results');
  });

  it('openapi-python-client makes a client that is whole, and trades', async () => {
    const args = ['generate', '--path', CONTRACT, '--output-path', 'paper_exchange', '--meta', 'none', '--fail-on-warning'];
    await run('openapi-python-client', args);
    const account = await shared.stack.register();
    const { body: meta } = await shared.stack.info(account.apiKey, { type: 'meta' });
    const asset: number = meta.universe.findIndex(({ name }: { name: string }) => name === COIN);
    const { stdout } = await run('python', [listed('trade.py')], made, {
      PYTHONPATH: made,
      API: shared.stack.baseUrl,
      KEY: account.apiKey,
      ACCESS_TOKEN: account.token,
      ASSET: String(asset),
    });
    const { modules, points, ...told } = JSON.parse(stdout);
    expect(modules).to.be.within(300, 900);
    expect(points).to.be.greaterThan(0);
    expect(told).to.deep.equal({
      ...{ fills: ['Close Long', 'Open Long'], openOrders: 0, trades: 1 },
      ...{ email: account.email, keys: 1, plan: true, plans: ['basic', 'pro'] },
    });
    await requireTraded(shared.stack, account);
  });

  it('openapi-typescript and hey-api make types that compile strictly', async () => {
    await run('openapi-typescript', [CONTRACT, '-o', 'schema.ts']);
    await run('openapi-ts', ['-i', CONTRACT, '-o', 'client']);
    writeFileSync(join(made, 'reader.ts'), READER);
    const tsconfig = { compilerOptions: COMPILER_OPTIONS, include: ['reader.ts', 'client', 'schema.ts'] };
    writeFileSync(join(made, 'tsconfig.json'), JSON.stringify(tsconfig));
    await run(process.execPath, [TSC, '-p', 'tsconfig.json']);
  });
});
