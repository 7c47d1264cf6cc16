// /llms.txt: all that a language model needs to write a working bot, in the form that llmstxt.org describes: a title, a summary, text without
// headings, then lists of links. It is made from the contracts and the first steps, and says in a sentence each where a bot that is written
// for the venue meets something else here. Each such sentence names the row of docs/compatibility.md, "Known differences", that says it in
// full; a test compares them.
import type { Config } from '../../shared/config/config.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { actionContracts } from '../exchange/runAction.ts';
import { allInfoTypes } from '../info/answerInfo.ts';
import { privateChannels, publicChannels } from '../stream/allChannels.ts';
import { byUse } from '../trading/orderOfUse.ts';
import { CCXT_SNIPPET, PYTHON_SNIPPET, STREAM_SNIPPET } from './clientSnippets.ts';
import { DOCS_PATH, DOCUMENT_PATH, STREAM_PAGE_PATH, STREAMS_PATH } from './documentPage.ts';
import { firstSteps } from './guidePage.ts';

interface Difference {
  /** How the row begins there. */
  readonly row: string;
  readonly text: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    row: '`nonce`, `signature`',
    text: 'The API key says who is asking: signatures and nonces are not checked.',
  },
  {
    row: '`user` in requests',
    text: 'Any `user` may be asked for; for an address that is none of the user’s accounts the account of the key answers.',
  },
  {
    row: '`vaultAddress`',
    text: '`vaultAddress` names a sub-account of the user; there are no vaults.',
  },
  {
    row: 'price `"0"` with `Ioc` or `FrontendMarket`',
    text: 'A price of `"0"` with `Ioc` is a market order; the venue refuses it.',
  },
  {
    row: 'the same liquidity twice',
    text: 'Orders fill against the real book, which they do not move; what an account has taken of a level stays taken for it.',
  },
  {
    row: 'assets that cannot be traded',
    text: 'Perpetuals of the main dex can be traded; orders for spot pairs, builders’ perpetuals and outcomes are refused by name.',
  },
  { row: '`hash` of fills, payments, ledger rows', text: 'There is no chain: hashes are zeros.' },
  {
    row: 'address limit',
    text: 'Requests are limited by the key’s plan (`X-RateLimit-*`, 429 with `Retry-After`), not by the address’s volume.',
  },
  {
    row: '`approveAgent`, `approveBuilderFee`, `noop`',
    text: 'Actions about agents, builders and referrers are answered ok and have no effect.',
  },
  {
    row: 'other actions of the venue',
    text: 'Transfers to others, vaults and staking are refused, with status 200 and `{"status":"err"}`.',
  },
  { row: 'liquidation', text: 'There is no auto-deleveraging: what the book does not take, the house does.' },
];

/** Endpoints that programs of users call beside `info` and `exchange`. */
const TOLD_TAGS: readonly Endpoint['tag'][] = ['Users', 'API keys', 'Accounts', 'Alerts', 'Dashboard', 'Billing'];

interface Told {
  /** Where users see this deployment, without a slash at its end. */
  readonly origin: string;
  readonly config: Pick<Config, 'FUNDING_SETTLE_HOURS'>;
  readonly endpoints: readonly Endpoint[];
}

export function llmsText({ origin, config, endpoints }: Told): string {
  const link = (name: string, path: string, text: string): string => `- [${name}](${origin}${path}): ${text}`;
  const program = (title: string, language: string, code: string): string => `${title}\n\n${fenced(language, code)}`;
  return [
    '# Paper perpetuals exchange',
    '> Paper trading of perpetual futures over Hyperliquid’s public API: a bot of the venue trades here with another base address and an API ' +
      'key in it. Prices are the venue’s, orders fill against its book, money is not real.',
    'The steps, each a command of a shell, in the order of use:',
    ...firstSteps(origin).map(({ title, text, code }) => program(`**${title}.** ${unlinked(text)}`, 'sh', code)),
    program('**With ccxt**, JavaScript (`npm install ccxt`; Python’s ccxt takes the same `urls`):', 'js', CCXT_SNIPPET),
    program('**With the venue’s Python client** (`pip install hyperliquid-python-sdk`):', 'python', PYTHON_SNIPPET),
    program(
      '**The WebSocket**, with the package `ws`; messages of private channels have `seq`, and `fromSeq` continues:',
      'js',
      STREAM_SNIPPET,
    ),
    '**Credential.** The key is in the path (`/v1/exchanges/perpx/key/<key>/…`) or in the header `X-API-Key`. Account and billing endpoints take ' +
      '`Authorization: Bearer <access token>` from register or login.',
    '**Errors** are `{"detail","code","msg"}`: `code` is for programs. What the trading rules refuse is status 200 with `"status":"err"`, or ' +
      '`{"error"}` in the place of one order. 429 and 503 say in `Retry-After` when to come back. An order is safe to repeat with the same ' +
      '`Idempotency-Key` header and body. Every answer has `X-Request-Id`.',
    `**Differences from the venue:**\n\n${list([...DIFFERENCES.map(({ text }) => text), fundingOf(config)])}`,
    `**Bodies of \`POST $BASE/info\`:**\n\n${list(byUse(allInfoTypes()).map(({ about, example }) => `\`${JSON.stringify(example)}\`: ${about}`))}`,
    `**Actions of \`POST $BASE/exchange\`**, sent as \`{"action":…,"nonce":1}\`:\n\n${list(
      actionContracts().map(({ about, example }) => `\`${JSON.stringify(example)}\`: ${about}`),
    )}`,
    `**Subscriptions of the WebSocket**, sent as \`{"method":"subscribe","subscription":…}\`:\n\n${list(
      [...publicChannels, ...privateChannels].map(({ about, example }) => `\`${JSON.stringify(example)}\`: ${about}`),
    )}`,
    `**Other endpoints:**\n\n${list(
      endpoints
        .filter(({ tag, answer }) => TOLD_TAGS.includes(tag) && answer.contentType === undefined)
        .map(({ method, path, summary }) => `\`${method.toUpperCase()} ${path.replace(':exchange', 'perpx')}\`: ${summary}`),
    )}`,
    '## Reference',
    [
      link('First steps and every endpoint', DOCS_PATH, 'a page for people'),
      link('OpenAPI', DOCUMENT_PATH, 'every endpoint, field and error, OpenAPI 3.1'),
      link('WebSocket', STREAM_PAGE_PATH, 'channels, messages, close codes and limits, as a page'),
      link('AsyncAPI', STREAMS_PATH, 'the same for programs, AsyncAPI 3.0'),
    ].join('\n'),
    '## Optional',
    link('Health', '/health', 'whether orders are taken, and where prices come from'),
    '',
  ].join('\n\n');
}

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

const unlinked = (text: string): string => text.replace(/\[([^\]]+)\]\(\/[^)]*\)/g, '$1');

const fundingOf = ({ FUNDING_SETTLE_HOURS: hours }: Told['config']): string =>
  `Funding is paid every ${hours === 1 ? 'hour' : `${hours} hours`}, by the venue’s hourly rates.`;
