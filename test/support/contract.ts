// Checks answers against the published contract: status, content type, headers and body; the body of `info` and
// `exchange` by the requested type. Every answer that a test gets from an API passes through here.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApi } from '../../src/api/documents/openApi.ts';
import { allEndpoints } from '../../src/api/registry.ts';
import { readConfig } from '../../src/shared/config/config.ts';

export interface Exchanged {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly path: string;
  /** The request's body as JSON; absent where it was none. */
  readonly requestBody?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a contract is walked by name
type Node = any;

const contractOf = (options: Parameters<typeof allEndpoints>[0]): Node =>
  JSON.parse(JSON.stringify(openApi(allEndpoints(options), { publicUrl: readConfig({}).PUBLIC_URL })));

/** Of everything that a service of tests may answer. */
export const contract: Node = contractOf({ hasTestPayments: true, hasDashboard: false, hasControl: true });

/** Of a service without the dashboard and the control, as most tests start it. */
export const publishedContract: Node = contractOf({ hasTestPayments: true, hasDashboard: false });

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ } });
ajv.addSchema(contract, 'contract');
const ANSWERS_OF_ACTIONS: ReadonlySet<string> = new Set(
  contract.components.schemas.ExchangeAnswer.anyOf.map(({ $ref }: Node) => $ref),
);
const DRY_RUN = '#/components/schemas/DryRunAnswer';
const compiled = new Map<string, ValidateFunction>();

/** @returns the parts of this answer that the contract does not describe, one line each */
export function contractFaults(exchanged: Exchanged): string[] {
  const { method, path, status, headers, text, requestBody } = exchanged;
  const place = `${method} ${path.slice(0, 60)}: ${status}`;
  const found = operationAt(method, path);
  if (found === undefined) {
    const isToldInWords = method === 'OPTIONS' || path.startsWith('/admin/queues');
    return status < 400 && !isToldInWords ? [`${place}: not in the contract`] : [];
  }
  const { template, operation } = found;
  const told: Node = operation.responses[status];
  if (told === undefined) return [`${place}: not a status of ${template}`];
  const own = `#/paths/${template.replaceAll('/', '~1')}/${operationName(method)}/responses/${status}`;
  const reference: string = told.$ref ?? own;
  const response = at(reference);
  const type = headers.get('content-type')?.split(';')[0] ?? 'none';
  if (status === 304 ? text !== '' : !(type in response.content)) return [`${place}: ${type} is not a type of ${template}`];
  const missing = Object.entries<Node>(response.headers)
    .filter(([name, { $ref }]) => at($ref).required === true && !headers.has(name))
    .map(([name]) => `${place}: without ${name}`);
  if (type !== 'application/json' || status === 304) return missing;
  const body: unknown = method === 'HEAD' ? undefined : JSON.parse(text);
  const faults = body === undefined ? [] : faultsOf(`${reference}/content/application~1json/schema`, body);
  const answer = status === 200 ? answerOf(template, requestBody) : undefined;
  const answerFaults = answer === undefined ? [] : faultsOf(answer, body);
  const codeFaults = status < 400 ? [] : codeFaultsOf(body, operation['x-error-codes'][status]);
  return [
    ...missing,
    ...[...(answerFaults.length > 0 ? answerFaults : faults), ...codeFaults].map((fault) => `${place}: ${fault}`),
  ];
}

/** The schema of errors has any code; each operation tells its own. */
function codeFaultsOf(body: Node, codes: readonly string[]): string[] {
  const isError = typeof body === 'object' && body !== null && 'code' in body;
  return isError && !codes.includes(body.code) ? [`${body.code} is not a code of this status`] : [];
}

/** @throws Error that says how the answer is not as the contract has it */
export function requireContract(exchanged: Exchanged): void {
  const faults = contractFaults(exchanged);
  if (faults.length > 0) throw new Error(`not as published: ${faults.slice(0, 5).join('; ')}: ${exchanged.text.slice(0, 300)}`);
}

/** The faults of an answer of `info` or `exchange` by its own type's schema. */
export function answerFaults(endpoint: 'info' | 'exchange', request: unknown, answer: unknown): string[] {
  const own = answerOf(endpoint, request);
  return own === undefined ? [] : faultsOf(own, JSON.parse(JSON.stringify(answer ?? null)));
}

const operationName = (method: string): string => (method === 'HEAD' ? 'get' : method.toLowerCase());

function operationAt(method: string, path: string): { template: string; operation: Node } | undefined {
  const segments = path
    .split(/[?#]/)[0]
    ?.split('/')
    .filter((segment) => segment !== '');
  const template = Object.keys(contract.paths).find((candidate) => {
    const wanted = candidate.split('/').filter((word) => word !== '');
    return wanted.length === segments?.length && wanted.every((word, i) => word.startsWith('{') || word === segments[i]);
  });
  const operation = template === undefined ? undefined : contract.paths[template][operationName(method)];
  return operation === undefined || template === undefined ? undefined : { template, operation };
}

/** Where the schema of the answer to this very request is. */
function answerOf(template: string, request: Node): string | undefined {
  const isInfo = template.endsWith('info');
  if (!isInfo && !template.endsWith('exchange')) return undefined;
  if (!isInfo && request?.dryRun === true) return DRY_RUN;
  const variant = variantOf(isInfo, isInfo ? request?.type : request?.action?.type);
  const answer: string | undefined = variant && at(variant)['x-answer'].$ref;
  return answer;
}

function variantOf(isInfo: boolean, type: unknown): string | undefined {
  const { mapping } = contract.components.schemas[isInfo ? 'InfoRequest' : 'Action'].discriminator;
  return typeof type === 'string' && Object.hasOwn(mapping, type) ? mapping[type] : undefined;
}

/** The part of the contract that a reference names. */
export function at(reference: string): Node {
  return reference
    .slice(2)
    .split('/')
    .reduce((node, name) => node[name.replaceAll('~1', '/')], contract);
}

function faultsOf(reference: string, value: unknown): string[] {
  // Every action may be refused as a whole.
  const isRefusal = ANSWERS_OF_ACTIONS.has(reference) && (value as Node)?.status === 'err';
  const schema = isRefusal ? '#/components/schemas/RefusedAnswer' : reference;
  const validate = compiled.get(schema) ?? ajv.compile({ $ref: `contract${schema}` });
  compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
