// The configuration's schema makes `.env.example` and the tables of docs/configuration.md, so that neither can differ from the code.
import { readFileSync, writeFileSync } from 'node:fs';
import type { TSchema } from '@sinclair/typebox';
import { expect } from 'chai';
import { marketVariables } from '../../src/shared/config/marketVariables.ts';
import { actorsVariables, processVariables, reachVariables } from '../../src/shared/config/processVariables.ts';
import { ConfigSchema } from '../../src/shared/config/schema.ts';
import { billingVariables, planVariables, usersVariables } from '../../src/shared/config/usersVariables.ts';

const BEGIN = '<!-- variables: made from the schema in src/shared/config/schema.ts -->';
const END = '<!-- end of variables -->';
const REPAIR = 'UPDATE_DOCS=1 npx mocha test/deploy/configDocs.test.ts writes it again';
const WIDTH = 120;

/** Headings of docs/configuration.md, in the order of the schema. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  'Processes, stores, metrics and traces': processVariables,
  'Users, mails and alerts': usersVariables,
  'Shards and accounts': actorsVariables,
  'Market and jobs': marketVariables,
  'Limits of plans': planVariables,
  'Trials and payments': billingVariables,
  'Requests and connections': reachVariables,
};

interface Variable {
  readonly name: string;
  readonly description: string;
  readonly value: string;
}

const variables = variablesOf(ConfigSchema.properties);

describe('the configuration is documented as it is', () => {
  it('.env.example has every variable with its default', () => check('.env.example', () => envExample()));

  it('docs/configuration.md has the variables in groups', () => {
    expect(Object.values(GROUPS).flatMap((group) => Object.keys(group))).to.deep.equal(variables.map(({ name }) => name));
    check('docs/configuration.md', (text) => {
      const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
      expect(before, `${BEGIN} is missing`).to.be.greaterThan(-1);
      expect(after, `${END} is missing`).to.be.greaterThan(before);
      return `${text.slice(0, before)}${BEGIN}\n\n${configTables()}\n\n${text.slice(after)}`;
    });
  });
});

function variablesOf(schemas: Readonly<Record<string, TSchema>>): readonly Variable[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    description: String(schema.description),
    value: String(schema.default),
  }));
}

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

function configTables(): string {
  return Object.entries(GROUPS)
    .map(([heading, group]) => `### ${heading}\n\n${configTable(variablesOf(group))}`)
    .join('\n\n');
}

function configTable(group: readonly Variable[]): string {
  const rows = group.map(
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
