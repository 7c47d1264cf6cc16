import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { SCHEMAS } from '../../../src/api/contract/published.ts';
import { openApi, toTemplate } from '../../../src/api/documents/openApi.ts';
import { actionTypes } from '../../../src/api/exchange/runAction.ts';
import { infoTypes } from '../../../src/api/info/answerInfo.ts';
import { allEndpoints } from '../../../src/api/registry.ts';
import { at, contract, contractFaults } from '../../support/contract.ts';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

/** The operators’ page is not part of the contract; of the stream only what is refused before it is one. */
const isOverHttp = (name: string): boolean =>
  /^(?:api|features|operators)\/.*\.ts$/.test(name) &&
  !name.endsWith('/jobBoard.ts') &&
  (!name.startsWith('api/stream/') || name === 'api/stream/streamServer.ts');

interface Offer {
  readonly hasTestPayments: boolean;
  readonly hasDashboard: boolean;
  readonly hasControl?: boolean;
}

function published(options: Offer): string[] {
  const { paths } = openApi(allEndpoints(options), { publicUrl: 'https://paper.example.com/' });
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((name) => name !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
}

interface Operation {
  readonly operationId: string;
  readonly 'x-error-codes': Readonly<Record<string, readonly string[]>>;
}

const operations = Object.values<Record<string, Operation>>(contract.paths).flatMap(({ parameters: _common, ...methods }) =>
  Object.values(methods),
);

/** Below /v1/exchanges, and no API key reaches them. */
const OF_TOKENS = new Set(['PUT /v1/exchanges/{exchange}/account/rules', 'PUT /v1/exchanges/{exchange}/account/terms']);

describe('the published contract', () => {
  it('has each endpoint of the registry once', () => {
    const offer = { hasTestPayments: true, hasDashboard: true, hasControl: true };
    const endpoints = allEndpoints(offer);
    const routes = endpoints.map(({ method, path }) => `${method.toUpperCase()} ${toTemplate(path)}`);
    expect(published(offer).filter((route) => !route.includes('/key/{api_key}/'))).to.have.members(routes);
    expect(new Set(endpoints.map(({ id }) => id)).size).to.equal(endpoints.length);
  });

  it('lists test payments, the dashboard and the control only where they are offered', () => {
    const ids = allEndpoints({ hasTestPayments: false, hasDashboard: false, hasControl: false }).map(({ id }) => id);
    expect(ids).not.to.include.any.members(['showTestPayment', 'payTestPayment', 'overviewPage', 'control']);
  });

  it('has a variant with the key in the path of every path below /v1/exchanges', () => {
    const below = published({ hasTestPayments: false, hasDashboard: false }).filter((route) => route.includes(' /v1/exchanges/'));
    const [inPath, others] = [
      below.filter((route) => route.includes('/key/')),
      below.filter((route) => !route.includes('/key/') && !OF_TOKENS.has(route)),
    ];
    expect(inPath).to.have.members(others.map((route) => route.replace('{exchange}/', '{exchange}/key/{api_key}/')));
  });

  it('names every info type and every action', () => {
    const { InfoRequest, Action } = contract.components.schemas;
    const { mapping: types } = InfoRequest.discriminator;
    const { mapping: actions } = Action.discriminator;
    expect(Object.keys(types)).to.have.members(infoTypes());
    expect(Object.keys(actions)).to.include.members(actionTypes());
  });

  it('has every code of an error that the API throws, and no other', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(isOverHttp);
    const sources = files.map((name) => readFileSync(join(SRC, name), 'utf8'));
    const thrown = sources.flatMap((text) => [
      ...[...text.matchAll(/\b\d{3},\s+'([a-z_]+)'/g)].map(([, code]) => code),
      ...[...text.matchAll(/mayNot\('([a-z_]+)'/g)].map(([, code]) => code),
      ...[...text.matchAll(/refusalCode: '([a-z_]+)'/g)].map(([, code]) => code),
      ...[...text.matchAll(/refusals: \['([a-z_]+)'/g)].map(([, code]) => code),
      ...[...text.matchAll(/\['\d{3} [\w ]+', '([a-z_]+)'/g)].map(([, code]) => code),
    ]);
    const told = operations.flatMap(({ 'x-error-codes': codes }) => Object.values(codes).flat());
    expect([...new Set(told)].sort()).to.deep.equal([...new Set(thrown)].sort());
  });

  it('describes each field that a client may send', () => {
    const undescribed: string[] = [];
    const seen = new Set<string>();
    const walk = (node: unknown, place: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { properties, $ref, ...rest } = node as { properties?: Record<string, object>; $ref?: string };
      for (const [name, field] of Object.entries(properties ?? {})) {
        const isTold = ['description', 'const', 'enum', 'oneOf', '$ref'].some((word) => word in field);
        if (!isTold && (field as { type?: string }).type !== 'boolean') undescribed.push(`${place}.${name}`);
        walk(field, `${place}.${name}`);
      }
      for (const [name, part] of Object.entries(rest))
        if (!['example', 'examples', 'mapping', 'not', 'x-answer'].includes(name)) walk(part, `${place}/${name}`);
      if ($ref === undefined || seen.has($ref)) return;
      seen.add($ref);
      walk(at($ref), $ref.slice(SCHEMAS.length));
    };
    walk(contract.components.requestBodies, 'bodies');
    expect(seen.size).to.be.greaterThan(100);
    expect(undescribed).to.deep.equal([]);
  });

  it('gives examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(contract, 'contract');
    for (const [name, body] of Object.entries<{ content: Record<string, { examples: Record<string, { value: unknown }> }> }>(
      contract.components.requestBodies,
    )) {
      const validate = ajv.compile({ $ref: `contract#/components/requestBodies/${name}/content/application~1json/schema` });
      for (const [example, { value }] of Object.entries(body.content['application/json']?.examples ?? {})) {
        expect(validate(value), `${name} ${example}: ${JSON.stringify(validate.errors)}`).to.equal(true);
      }
    }
  });

  it('is OpenAPI 3.1, version 1.0', () => {
    expect(contract.openapi).to.equal('3.1.0');
    expect(contract.info.version).to.equal('1.0');
  });
});

describe('answers that are not as published are found', () => {
  const headers = (more: Record<string, string> = {}): Headers =>
    new Headers({
      ...{ 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1', 'x-request-id': 'a' },
      'content-type': 'application/json; charset=utf-8',
      ...more,
    });
  const asked = { method: 'GET', path: '/v1/billing/subscription', status: 200, headers: headers() };
  const subscription = {
    ...{ plan: 'basic', status: 'trial', trial_expires_at: '2026-11-21T12:00:00.000Z' },
    ...{ current_period_end: null, cancel_at_period_end: false },
  };
  const faults = (change: object, body: object = subscription): string[] =>
    contractFaults({ ...asked, ...change, text: JSON.stringify(body) });

  it('none in a good one', () => expect(faults({})).to.deep.equal([]));
  it('a field too much', () => expect(faults({}, { ...subscription, more: 1 })).not.to.deep.equal([]));
  it('a field too few', () => {
    const { plan: _plan, ...rest } = subscription;
    expect(faults({}, rest)).not.to.deep.equal([]);
  });
  it('a status that is not told', () => expect(faults({ status: 418 })).not.to.deep.equal([]));
  it('a code that is not told', () =>
    expect(faults({ status: 401 }, { detail: 'a', code: 'else', msg: 'a' })).not.to.deep.equal([]));
  it('a header that is missing', () => {
    const without = headers();
    without.delete('x-request-id');
    expect(faults({ headers: without })).not.to.deep.equal([]);
  });
  it('another content type', () => expect(faults({ headers: headers({ 'content-type': 'text/html' }) })).not.to.deep.equal([]));
  it('a path that nobody told of', () => expect(faults({ path: '/v1/secret' })).not.to.deep.equal([]));

  it('an answer of another info type', () => {
    const info = {
      ...{ method: 'POST', path: '/v1/exchanges/perpx/info', status: 200, requestBody: { type: 'openOrders' } },
      headers: headers({ 'x-market-source': 'live' }),
    };
    expect(contractFaults({ ...info, text: '[]' })).to.deep.equal([]);
    expect(contractFaults({ ...info, text: '{"balances":[]}' })).not.to.deep.equal([]);
  });
});
