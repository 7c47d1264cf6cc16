import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { configTable, envExample } from '../support/configDocs.ts';

const BEGIN = '<!-- variables: made from the schema in src/shared/config/schema.ts -->';
const END = '<!-- end of variables -->';
const REPAIR = 'UPDATE_DOCS=1 npx mocha test/deploy/configDocs.test.ts writes it anew';

describe('the configuration is documented as it is', () => {
  it('.env.example has every variable with its default', () => check('.env.example', () => envExample()));

  it('docs/operations.md has the table of variables', () =>
    check('docs/operations.md', (text) => {
      const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
      expect(before, `${BEGIN} is missing`).to.be.greaterThan(-1);
      expect(after, `${END} is missing`).to.be.greaterThan(before);
      return `${text.slice(0, before)}${BEGIN}\n\n${configTable()}\n\n${text.slice(after)}`;
    }));
});

function check(file: string, wanted: (text: string) => string): void {
  const url = new URL(`../../${file}`, import.meta.url);
  const text = readFileSync(url, 'utf8');
  if (process.env['UPDATE_DOCS']) writeFileSync(url, wanted(text));
  else expect(text, REPAIR).to.equal(wanted(text));
}
