import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/ports.ts';

// Plain JavaScript, which the type check of the tests leaves to the type check of the tools.
const load = (name: string) => import(`../../tools/start/${name}.mjs`);

describe('command: what fetches something has several tries', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'paper-command-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** A fetch that works at the given try. @returns whether it did, and how often it was tried */
  const fetched = async (works: number, server?: string): Promise<[boolean, number]> => {
    const script = `echo >> tries; [ "$(wc -l < tries)" -ge ${works} ]`;
    const options = { cwd: dir, signal: new AbortController().signal, againMs: 1, server };
    const { fetchToEnd } = await load('command');
    const { ok } = await fetchToEnd('sh', ['-c', script], options);
    return [ok, readFileSync(join(dir, 'tries'), 'utf8').length];
  };

  it('one that works is not repeated', async () => expect(await fetched(1)).to.deep.equal([true, 1]));
  it('one that fails at first is', async () => expect(await fetched(3)).to.deep.equal([true, 3]));
  it('one that fails for good is given up', async () => expect(await fetched(9)).to.deep.equal([false, 3]));
  it('one whose server cannot be reached is not repeated', async () =>
    expect(await fetched(2, `http://127.0.0.1:${await freePort()}`)).to.deep.equal([false, 1]));
});
