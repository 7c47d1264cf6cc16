// The part of the published contract that the packages of clients/ are made from: the endpoints that a user's program calls beside
// trading, and the answers of the explanations, with all schemas to which these refer.

import { openApi } from '../../../src/api/documents/openApi.ts';
import { allEndpoints } from '../../../src/api/registry.ts';

// biome-ignore lint/suspicious/noExplicitAny: a contract is walked by name
type Node = any;

const TAGS = ['Users', 'API keys', 'Accounts', 'Dashboard', 'Billing'];
/** Paths with a key, for stock clients; calls of the payment provider; sessions of browsers, by a cookie. */
const LEFT_OUT = /\/key\/|\/webhooks\/|^\/v1\/auth\/session(?:\/|$)/;
/** They answer `info`, which has one operation for all of its types. */
const EXPLANATIONS = ['ExplainFillAnswer', 'ExplainOrderAnswer'];

export function clientContract(): Node {
  const whole: Node = JSON.parse(
    JSON.stringify(
      openApi(allEndpoints({ hasTestPayments: false, hasDashboard: false }), { publicUrl: 'http://127.0.0.1:3000' }),
    ),
  );
  const paths = Object.fromEntries(
    Object.entries<Node>(whole.paths).flatMap(([path, { parameters, ...operations }]) => {
      const wanted = Object.entries<Node>(operations).filter(([, operation]) => isWanted(path, operation));
      return wanted.length === 0 ? [] : [[path, { ...(parameters && { parameters }), ...Object.fromEntries(wanted) }]];
    }),
  );
  const { accessToken, apiKey } = whole.components.securitySchemes;
  const components: Node = { securitySchemes: { accessToken, apiKey } };
  const collect = (node: Node): void => {
    if (typeof node !== 'object' || node === null) return;
    if (typeof node.$ref === 'string') {
      const [, , kind, name] = node.$ref.split('/');
      components[kind] ??= {};
      if (!(name in components[kind])) {
        components[kind][name] = whole.components[kind][name];
        collect(components[kind][name]);
      }
    }
    for (const part of Object.values(node)) collect(part);
  };
  collect(paths);
  for (const name of EXPLANATIONS) collect({ $ref: `#/components/schemas/${name}` });
  const { title, version } = whole.info;
  return { openapi: whole.openapi, info: { title, version }, servers: whole.servers, paths, components };
}

function isWanted(path: string, { tags, responses }: Node): boolean {
  if (!TAGS.includes(tags[0]) || LEFT_OUT.test(path)) return false;
  const { content } = responses[200];
  return content === undefined || 'application/json' in content;
}
