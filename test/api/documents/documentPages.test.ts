// The documentation that is made of the contracts: nothing of them is left out, and further sentences are held against the pages
// that say it in full.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { asyncApi } from '../../../src/api/documents/asyncApi.ts';
import { CCXT_SNIPPET, PYTHON_SNIPPET, STREAM_SNIPPET } from '../../../src/api/documents/clientSnippets.ts';
import { guidePage } from '../../../src/api/documents/guidePage.ts';
import { DIFFERENCES, llmsText } from '../../../src/api/documents/llmsText.ts';
import { shapeOf, streamPage } from '../../../src/api/documents/streamPage.ts';
import { actionTypes } from '../../../src/api/exchange/runAction.ts';
import { escaped, sentence } from '../../../src/api/http/pages.ts';
import { infoTypes } from '../../../src/api/info/answerInfo.ts';
import { allEndpoints } from '../../../src/api/registry.ts';
import { privateChannels, publicChannels } from '../../../src/api/stream/allChannels.ts';
import { closeCodes } from '../../../src/api/stream/channel/channel.ts';
import { readConfig } from '../../../src/shared/config/config.ts';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const ORIGIN = 'https://paper.example.com';
const config = readConfig({ PUBLIC_URL: `${ORIGIN}/below`, ALLOW_TEST_PAYMENTS: 'yes' });
const channels = [...publicChannels, ...privateChannels];

describe('the page of the WebSocket', () => {
  const { text } = streamPage(asyncApi(config));

  it('has a section, a subscription and the messages of each channel', () => {
    for (const { type, about, messages } of channels) {
      expect(text).to.include(`<h3 id="${type}">${type}</h3>\n<p>${sentence(about)}</p>`);
      expect(text).to.include(escaped(`{"method":"subscribe","subscription":{"type":"${type}"`));
      for (const name of Object.keys(messages)) expect(text).to.include(`Messages on <code>${name}</code>`);
    }
  });

  it('shows the fields of a message with what is said of them', () => {
    const fields = text.slice(text.indexOf('Messages on <code>userFills</code>'));
    expect(fields).to.include(escaped('"side": "B" | "A"  // `B` buy, `A` sell.'));
    expect(fields.slice(0, fields.indexOf('</pre>'))).to.include(escaped('"stateHash"?: text'));
  });

  it('has the close codes, the limits and the addresses of this deployment', () => {
    for (const { code, reason } of Object.values(closeCodes))
      expect(text).to.include(`<td>${code}</td><td>${sentence(reason)}</td>`);
    expect(text).to.include(escaped(`"subscriptionsMax": ${config.PLAN_BASIC_SUBSCRIPTIONS}`));
    expect(text).to.include('wss://paper.example.com/below/v1/exchanges/perpx/key/{api_key}/ws');
  });

  it('leaves nothing unsaid: no reference is unresolved, no kind unknown', () => {
    expect(text).not.to.match(/undefined|\[object|\$ref/);
  });
});

describe('/llms.txt', () => {
  const text = llmsText({ origin: ORIGIN, config, endpoints: allEndpoints({ hasTestPayments: false, hasDashboard: false }) });

  it('has the form that llmstxt.org describes', () => {
    expect(text).to.match(/^# .+\n\n> .+\n\n[^#>]/);
    const headings = withoutCode(text).match(/^#.*$/gm);
    expect(headings).to.deep.equal(['# Paper perpetuals exchange', '## Reference', '## Optional']);
    const afterText = text.slice(text.indexOf('\n## Reference'));
    for (const line of afterText.split('\n').filter((one) => one !== '' && !one.startsWith('## ')))
      expect(line).to.match(/^- \[[^\]]+\]\(https:\/\/paper\.example\.com\/[^)]*\): /);
  });

  it('has each info type, action and channel, with a sentence', () => {
    for (const type of [...infoTypes(), ...actionTypes(), ...channels.map((channel) => channel.type)])
      expect(text).to.match(new RegExp(`^- \`\\{"type":"${type}".*\`: \\S`, 'm'));
  });

  it('tells of the addresses, the credential, errors and the first order', () => {
    for (const told of [
      `export API=${ORIGIN}`,
      'X-API-Key',
      'Idempotency-Key',
      'Retry-After',
      '"p":"0"',
      'GET /v1/exchanges/perpx/account/fills',
    ])
      expect(text).to.include(told);
    expect(text).not.to.match(/undefined|\[object/);
  });
});

describe('what is told beside the contracts', () => {
  it('each difference is a row of docs/compatibility.md', () => {
    const page = read('docs/compatibility.md');
    const known = page.slice(page.indexOf('## Known differences'), page.indexOf('\n## Explanations'));
    for (const { row } of DIFFERENCES) expect(known).to.include(`- **${row}`);
  });

  it('the first programs are those of the README', () => {
    for (const program of [CCXT_SNIPPET, PYTHON_SNIPPET, STREAM_SNIPPET])
      expect(read('README.md')).to.include(`\n${program}\`\`\``);
  });

  it('the first steps begin with what a newcomer needs first: addresses, then an order', () => {
    const titles = [...guidePage(ORIGIN).text.matchAll(/<h3>\d+\. (.+)<\/h3>/g)].map(([, title]) => title);
    expect(titles.slice(0, 3)).to.deep.equal(['Address and key', 'The first order', 'The fill']);
  });

  it('no text of the contract, and no address of an operator, becomes markup', () => {
    const odd = `a <b> & "c" 'd'`;
    expect(sentence(`${odd} \`<i>\` [x](//evil) [y](/docs)`)).to.equal(
      'a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; <code>&lt;i&gt;</code> [x](//evil) <a href="/docs">y</a>',
    );
    expect(guidePage('https://x/<script>').text).not.to.include('<script');
  });
});

describe('a schema as people read it', () => {
  const schemas: Record<string, object> = {
    Level: {
      type: 'object',
      description: 'A level.',
      required: ['px'],
      properties: { px: { type: 'string' }, n: { type: 'integer' } },
    },
    Node: { type: 'object', properties: { next: { $ref: '#/Node' } } },
  };
  const shape = (schema: object): string => shapeOf(schema, (ref) => schemas[ref.slice(2)]);
  const cases: [name: string, schema: object, shown: string][] = [
    [
      'a list of what a reference names',
      { type: 'array', items: { $ref: '#/Level' } },
      '[{\n  "px": text\n  "n"?: integer\n}, …]',
    ],
    ['an object or nothing', { anyOf: [{ $ref: '#/Level' }, { type: 'null' }] }, '{\n  "px": text\n  "n"?: integer\n} | null'],
    ['a tuple of either dialect', { prefixItems: [{ type: 'string' }, { const: 1 }], type: 'array' }, '[text, 1]'],
    [
      'a field with the sentence of its type',
      { type: 'object', required: ['a'], properties: { a: { $ref: '#/Level' } } },
      '{\n  "a": {  // A level.\n    "px": text\n    "n"?: integer\n  }\n}',
    ],
    ['what contains itself, once', { $ref: '#/Node' }, '{\n  "next"?: Node\n}'],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, '{\n  …: text\n}'],
    ['anything', {}, 'anything'],
    ['a choice of many names', { oneOf: ['A', 'B', 'C', 'D', 'E'].map((name) => ({ $ref: `#/${name}` })) }, 'one of 5: A, …, E'],
  ];
  for (const [name, schema, shown] of cases) it(name, () => expect(shape(schema)).to.equal(shown));
});

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '');
