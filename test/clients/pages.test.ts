// The sections of docs/clients.md against their examples: each client has both, and what a section prints is what the example has.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { blocksOf, exampleOf, PAGES } from '../pages/page.ts';
import { exampleNames, filesOfExample, pageOf } from './example.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const overview = readFileSync(path('docs/clients.md'), 'utf8');
const names = exampleNames();

describe('docs/clients.md', () => {
  it('has a section for each example, and a row of the table', () => {
    const sections = PAGES.flatMap((page) => exampleOf(page) ?? []);
    expect(sections).to.have.members(names);
    const rows = [...overview.matchAll(/^\|.*\]\(#([\w-]+)\)/gm)].map(([, name]) => name);
    expect(rows).to.include.members(names);
  });

  it('its lines set the addresses of demo.json and a wallet', () => {
    const data = mkdtempSync(join(tmpdir(), 'paper-clients-'));
    try {
      const demo = { baseUrl: 'http://127.0.0.1:3999', apiKey: 'pe_key', rootUrl: 'http://127.0.0.1:3001' };
      writeFileSync(join(data, 'demo.json'), JSON.stringify(demo));
      const { code = '' } = blocksOf(overview).find(({ code }) => code.includes('demo()')) ?? {};
      const shown = `${code}echo "$BASE $ROOT $WALLET_PRIVATE_KEY $WALLET_ADDRESS"`;
      const printed = execFileSync('bash', ['-euc', shown], { env: { ...process.env, DATA: data }, encoding: 'utf8' });
      const [base, root, key, address] = printed.trim().split(' ');
      expect(base).to.equal('http://127.0.0.1:3999/v1/exchanges/perpx/key/pe_key');
      expect(root).to.equal(demo.rootUrl);
      expect(key).to.match(/^0x[0-9a-f]{64}$/);
      expect(address).to.match(/^0x[0-9a-f]{40}$/);
    } finally {
      rmSync(data, { recursive: true });
    }
  });

  for (const name of names) {
    const texts = [...filesOfExample(name).values()];

    it(`${name}: every block but the commands is a part of a file of the example`, () => {
      const blocks = blocksOf(pageOf(name)).filter(({ language }) => language !== 'sh');
      expect(blocks).not.to.deep.equal([]);
      for (const { code } of blocks)
        expect(
          texts.some((text) => text.includes(code)),
          code,
        ).to.equal(true);
    });

    it(`${name}: the commands name files that are there`, () => {
      const commands = blocksOf(pageOf(name)).filter(({ language }) => language === 'sh');
      const files = commands.flatMap(({ code }) => code.match(/(?<![\w./-])[\w-]+\.(?:mjs|py|txt|json)\b/g) ?? []);
      for (const file of files) expect(existsSync(path(`examples/${name}/${file}`)), file).to.equal(true);
    });

    it(`${name}: the version in the table is the one that is installed`, () => {
      const [, version = ''] = new RegExp(String.raw`^\| [^|]+\(#${name}\) \| ([\d.]+) \|`, 'm').exec(overview) ?? [];
      expect(version).to.match(/^\d+(?:\.\d+)+$|^\d{8}$/);
      expect(texts.join('\n')).to.include(version);
    });

    it(`${name}: nothing comes from outside of its folder`, () => {
      for (const text of texts) expect(text).not.to.match(/\.\.\/|paper-perps/);
    });
  }
});
