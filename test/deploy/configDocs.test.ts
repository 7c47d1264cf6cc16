// `.env.example` and the table of docs/operations.md are as the configuration's schema requires them, so that neither can differ from the
// code.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { ConfigSchema } from '../../src/shared/config/schema.ts';

const BEGIN = '<!-- variables: made from the schema in src/shared/config/schema.ts -->';
const END = '<!-- end of variables -->';
const REPAIR = 'UPDATE_DOCS=1 npx mocha test/deploy/configDocs.test.ts writes it anew';
const WIDTH = 120;

interface Variable {
  readonly name: string;
  readonly description: string;
  readonly value: string;
}

const variables: readonly Variable[] = Object.entries(ConfigSchema.properties).map(([name, schema]) => ({
  name,
  description: String(schema.description),
  value: String(schema.default),
}));

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

function envExample(): string {
  const head = '# Every variable, with its default. An empty value counts as the default.\n';
  return `${head}${variables.map(({ name, description, value }) => `\n${comment(description)}\n${name}=${value}\n`).join('')}`;
}

function configTable(): string {
  const rows = variables.map(
    ({ name, description, value }) => `| \`${name}\` | ${value === '' ? '' : `\`${value}\``} | ${description} |`,
  );
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function comment(text: string): string {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > WIDTH) lines.push('#');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.join('\n');
}
