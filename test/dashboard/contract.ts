// The types of answers that the dashboard reads, made from the published contract: types that its files import, with the types to
// which they refer.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { openApi } from '../../src/api/documents/openApi.ts';
import { allEndpoints } from '../../src/api/registry.ts';

const DASHBOARD = fileURLToPath(new URL('../../src/dashboard/', import.meta.url));
const BANNER = `// Answers of the API as its contract describes them. Made by test/dashboard/contract.test.ts with UPDATE_DOCS=1 from the contract
// and from what the dashboard's files import from here; never edited by hand.`;

type Schemas = Record<string, Record<string, unknown>>;

/** @returns the text of src/dashboard/api/contract.ts @throws Error for a name that the contract does not have */
export async function dashboardContract(): Promise<string> {
  const document = openApi(allEndpoints({ hasTestPayments: true, hasDashboard: true }), { publicUrl: 'http://127.0.0.1:3000' });
  const schemas: Schemas = JSON.parse(JSON.stringify(document)).components.schemas;
  const wanted = new Set<string>();
  for (const name of importedNames()) collect(name, schemas, wanted);
  const definitions = Object.fromEntries([...wanted].sort().map((name) => [name, asDefinition(schemas[name])]));
  const text = await compile({ $defs: definitions } as JSONSchema, 'Contract', {
    additionalProperties: false,
    bannerComment: BANNER,
    declareExternallyReferenced: true,
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 128 },
    unreachableDefinitions: true,
  });
  return `${readonlyEverywhere(withoutRoot(text)).trimEnd()}\n`;
}

/** The names that the dashboard's files import from the contract. */
function importedNames(): string[] {
  const files = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  return files.flatMap((name) => {
    const text = readFileSync(join(DASHBOARD, name), 'utf8');
    const imports = [...text.matchAll(/import (?:type )?\{([^}]*)\} from '[./]*(?:api\/)?contract\.ts'/g)];
    return imports.flatMap(([, names = '']) => names.split(',').flatMap((one) => /^\s*(?:type )?(\w+)/.exec(one)?.[1] ?? []));
  });
}

function collect(name: string, schemas: Schemas, into: Set<string>): void {
  if (into.has(name)) return;
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`The contract has no shape with the name ${name}.`);
  into.add(name);
  for (const [, other = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) collect(other, schemas, into);
}

/** A shape as draft 07 has it: tuples under their older name, other shapes beside it. */
function asDefinition(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return String(value).replace('#/components/schemas/', '#/$defs/');
    if (typeof value !== 'object' || value === null || !('prefixItems' in value)) return value;
    const { prefixItems, ...rest } = value;
    return { ...rest, items: prefixItems, additionalItems: false };
  });
}

/** Without the shape that only held the others, and what the library says of it. */
const withoutRoot = (text: string): string =>
  text
    .replace(/export interface Contract \{[^}]*\}\n/, '')
    .replaceAll(
      /(?: \*\n)? \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      '',
    )
    .replaceAll('/**\n */\n', '');

/** Answers are read, never changed. */
const readonlyEverywhere = (text: string): string => text.replace(/^(\s+)(['\w]+\??:)/gm, '$1readonly $2');
