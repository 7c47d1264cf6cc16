// /docs: the first steps of a newcomer in the order of use, commands to copy, from the address to a key of one's own. They need no script.
// Below them a library in this package shows every endpoint; it reads the contract in the browser. The steps' bodies are the
// examples of the contract, so they are what the endpoints read; a test runs each command as it is printed.
import { createApiKeyEndpoint } from '../auth/keys/createApiKey.ts';
import { registerEndpoint } from '../auth/registration.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { escaped, sentence } from '../http/pages.ts';
import { exchangeEndpoint, infoEndpoint } from '../trading/tradingContract.ts';
import { DOCUMENT_PATH, type DocumentPage, STREAM_PAGE_PATH } from './documentPage.ts';
import { EXCHANGE } from './openApi.ts';

interface Step {
  readonly title: string;
  /** With `code` and [links](/path). */
  readonly text: string;
  /** Commands of a shell with curl. */
  readonly code: string;
}

const JSON_TYPE = `-H 'content-type: application/json'`;

/** @param origin where users see this deployment, without a slash at its end */
export const firstSteps = (origin: string): readonly Step[] => [
  {
    title: 'Address and key',
    text: 'All that follows uses these three. `bin/start` prints a key of its demo account; the last step makes one of your own.',
    code: `export API=${origin}\nexport KEY=YOUR_KEY\nexport BASE=$API/v1/exchanges/${EXCHANGE}/key/$KEY`,
  },
  {
    title: 'The first order',
    text: 'Buys 0.001 BTC at the market: asset 0, a price of `"0"` and `Ioc`. The answer says `filled`, with the average price.',
    code: post('$BASE/exchange', exampleOf(exchangeEndpoint, 'buyAtTheMarket')),
  },
  { title: 'The fill', text: 'Newest first, with price, fee and `tid`.', code: ask('userFills') },
  {
    title: 'Why at that price',
    text: 'What the market showed when the newest fill happened, in words and in numbers.',
    code: [
      `TID=$(${ask('userFills')} | grep -o '"tid":[0-9]*' | head -n 1 | cut -d : -f 2)`,
      `curl -s "$BASE/info" ${JSON_TYPE} -d "{\\"type\\":\\"explainFill\\",\\"tid\\":$TID}"`,
    ].join('\n'),
  },
  { title: 'The account', text: 'Equity, margin and positions, as the venue has them.', code: ask('clearinghouseState') },
  {
    title: 'An order that waits',
    text: 'A limit order far below the market, with an id of your own (`c`).',
    code: post('$BASE/exchange', exampleOf(exchangeEndpoint, 'buyAtALimit')),
  },
  { title: 'What waits', text: 'Open orders, with `oid` and `cloid`.', code: ask('openOrders') },
  {
    title: 'Cancel it',
    text: 'By your own id; `cancel` takes the `oid`.',
    code: post('$BASE/exchange', exampleOf(exchangeEndpoint, 'cancelByOwnId')),
  },
  {
    title: 'Close the position',
    text: 'Sells at the market, and no more than the position holds (`"r":true`).',
    code: post('$BASE/exchange', exampleOf(exchangeEndpoint, 'closeAtTheMarket')),
  },
  {
    title: 'What it came to',
    text: 'The account as a dashboard shows it; the equity curve and the analytics are beside it. Here the key is in a header.',
    code: `curl -s "$API/v1/exchanges/${EXCHANGE}/account/overview" -H "X-API-Key: $KEY"`,
  },
  {
    title: 'An account of your own',
    text: 'Registering answers an access token, which makes keys. Take an e-mail address and a password of your own.',
    code: [
      `ACCESS_TOKEN=$(${post('$API/v1/auth/register', exampleOf(registerEndpoint))} |`,
      `  grep -o '"access_token":"[^"]*' | cut -d '"' -f 4)`,
      `${post('$API/v1/auth/api-keys', exampleOf(createApiKeyEndpoint))} -H "authorization: Bearer $ACCESS_TOKEN"`,
    ].join('\n'),
  },
];

/** @param name of the example; without it the first */
function exampleOf({ id, body }: Endpoint, name?: string): unknown {
  const examples = body?.examples ?? {};
  const found = name === undefined ? Object.values(examples)[0] : examples[name];
  if (found === undefined) throw new Error(`${id} has no example ${name}`);
  return found;
}

function post(url: string, body: unknown): string {
  return `curl -s "${url}" ${JSON_TYPE} -d '${JSON.stringify(body)}'`;
}

function ask(type: string): string {
  return post('$BASE/info', exampleOf(infoEndpoint, type));
}

/** @param origin where users see this deployment */
export function guidePage(origin: string): DocumentPage {
  const steps = firstSteps(origin).map(
    ({ title, text, code }, at) =>
      `<h3>${at + 1}. ${title}</h3>\n<p>${sentence(text)}</p>\n<pre class="step">${escaped(code)}</pre>`,
  );
  return {
    title: 'Paper perpetuals exchange: API',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">\n',
    text: `<p>A client of Hyperliquid’s API works here with another base address. The steps below trade with curl alone, in the order in
which they are of use. What the socket sends is on <a href="${STREAM_PAGE_PATH}">a page of its own</a>; below the steps is every endpoint
with its fields, examples and errors.</p>
<h2>First steps</h2>
${steps.join('\n')}
<h2>Every endpoint</h2>`,
    end: `<div id="contract"></div>
<noscript>This part needs JavaScript. The contract itself is at <a href="${DOCUMENT_PATH}">${DOCUMENT_PATH}</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
`,
  };
}
