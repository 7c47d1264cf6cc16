// `.env.example` and the table of docs/operations.md as the configuration's schema requires them, so that neither can
// differ from the code.
import { ConfigSchema } from '../../src/shared/config/schema.ts';

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

const WIDTH = 120;

export function envExample(): string {
  const head = '# Every variable, with its default. An empty value counts as the default.\n';
  return `${head}${variables.map(({ name, description, value }) => `\n${comment(description)}\n${name}=${value}\n`).join('')}`;
}

export function configTable(): string {
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
