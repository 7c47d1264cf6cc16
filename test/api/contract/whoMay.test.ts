// The table of rules, the registry and docs/whoMay.md say the same. `UPDATE_DOCS=1` writes the two tables of the page.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Endpoint } from '../../../src/api/contract/endpoint.ts';
import { errorsOf } from '../../../src/api/contract/errorResponses.ts';
import { mayNot, rulesOf, WHO_MAY } from '../../../src/api/contract/whoMay.ts';
import { allEndpoints } from '../../../src/api/registry.ts';
import { filesBelow } from '../../rules/ruleMap.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = `${root}docs/whoMay.md`;
const endpoints: readonly Endpoint[] = allEndpoints({ hasTestPayments: true, hasDashboard: true, hasControl: true });
const rules = Object.entries<{ readonly passes: string; readonly refusals: Readonly<Record<string, readonly string[]>> }>(
  WHO_MAY,
);

describe('who may: one table of rules for all endpoints', () => {
  it('every rule is asked by an endpoint', () => {
    const asked = new Set<string>(endpoints.flatMap(rulesOf));
    expect(rules.map(([name]) => name).filter((name) => !asked.has(name))).to.deep.equal([]);
  });

  it('an endpoint asks by a rule once', () => {
    for (const endpoint of endpoints) expect(rulesOf(endpoint), endpoint.id).to.deep.equal([...new Set(rulesOf(endpoint))]);
  });

  it('an endpoint answers 401 and 403 with the codes of its rules, and with no other', () => {
    for (const endpoint of endpoints)
      for (const status of [401, 403] as const) {
        const codes = rulesOf(endpoint).flatMap((rule) => rules.find(([name]) => name === rule)?.[1].refusals[status] ?? []);
        expect(errorsOf(endpoint)[status] ?? [], endpoint.id).to.have.members([...new Set(codes)]);
      }
  });

  it('a code has one status, which its refusal has', () => {
    const statuses = new Map<string, string>();
    for (const [, { refusals }] of rules)
      for (const [status, codes] of Object.entries(refusals))
        for (const code of codes) {
          expect(statuses.get(code) ?? status, code).to.equal(status);
          statuses.set(code, status);
        }
    expect(mayNot('invalid_token', 'x').status).to.equal(401);
    expect(mayNot('limited_key', 'x').status).to.equal(403);
  });

  it('no other file makes a refusal with 401 or 403', () => {
    for (const file of filesBelow(root, 'src', /\.ts$/))
      expect(readFileSync(`${root}${file}`, 'utf8'), file).to.not.match(/RequestError\(\s*40[13]\b/);
  });

  it('the page has the rules and the endpoints', () => {
    const page = readFileSync(PAGE, 'utf8');
    const made = page
      .replace(/^\| Rule \|.*\n(?:\|.*\n)*/m, table(['Rule', 'Who passes', 'Refused with'], rules.map(ruleRow)))
      .replace(/^\| Endpoint \|.*\n(?:\|.*\n)*/m, table(['Endpoint', 'Path', 'Asks by'], endpoints.map(endpointRow)));
    if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(PAGE, made);
    expect(readFileSync(PAGE, 'utf8')).to.equal(made);
  });
});

function ruleRow([name, { passes, refusals }]: (typeof rules)[number]): string[] {
  const codes = Object.entries(refusals).map(([status, all]) => `${status} ${all.map((code) => `\`${code}\``).join(', ')}`);
  return [`\`${name}\``, passes, codes.join('; ')];
}

function endpointRow(endpoint: Endpoint): string[] {
  const { id, method, path, scope } = endpoint;
  const asked = rulesOf(endpoint).map((rule) => (rule === 'either' ? `\`either\` (${scope})` : `\`${rule}\``));
  return [`\`${id}\``, `${method.toUpperCase()} ${path}`, asked.join(', ')];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n');
}
