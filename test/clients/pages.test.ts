// The pages of clients against their examples: each has both, and what a page prints is what the example has.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { blocksOf, exampleNames, filesOfExample, pageOf } from './example.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const overview = readFileSync(path('docs/clients.md'), 'utf8');
const names = exampleNames();

describe('docs/clients', () => {
  it('has a page for each example, and a page of each in the table', () => {
    const pages = readdirSync(path('docs/clients')).map((file) => file.replace(/\.md$/, ''));
    expect(pages).to.have.members(names);
    const rows = [...overview.matchAll(/^\|.*\]\(clients\/([\w-]+)\.md\)/gm)].map(([, name]) => name);
    expect(rows).to.have.members(names);
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
      const [, version = ''] =
        new RegExp(String.raw`^\| [^|]+ \| ([\d.]+) \|.*\(clients/${name}\.md\)`, 'm').exec(overview) ?? [];
      expect(version).to.match(/^\d+\.\d+/);
      expect(texts.join('\n')).to.include(version);
    });

    it(`${name}: nothing comes from outside of its folder`, () => {
      for (const text of texts) expect(text).not.to.match(/\.\.\/|paper-perps/);
    });
  }
});
