// GET /: what this is, whether it works, and the way to a first order. Without scripts, and the same for all who ask but for
// the service's condition. Where the dashboard is on, a browser is shown its page here.

import { Type } from '@sinclair/typebox';
import type { Config } from '../../shared/config/config.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { isPageVisit } from '../http/browser.ts';
import { endpoint } from '../http/endpoint.ts';
import { answerPage, escaped } from '../http/pages.ts';
import type { DashboardPart } from '../http/staticFile.ts';
import type { Health } from '../operations/health.ts';

const TITLE = 'Paper perpetuals exchange';

const CONDITIONS = {
  ok: 'It works: orders are taken.',
  degraded: 'Orders are taken; something else is away (<a href="/health">/health</a>).',
  unavailable: 'It takes no orders at the moment (<a href="/health">/health</a>).',
} as const;

const PRICES = { live: 'the venue’s own', emulated: 'emulated', replay: 'played from a recording' } as const;

interface FrontPageParts extends DashboardPart {
  /** `PUBLIC_URL`: what users put before the paths. */
  readonly config: Pick<Config, 'PUBLIC_URL'>;
  readonly health: Pick<Health, 'report'>;
}

export const frontPageEndpoint = endpoint({
  id: 'frontPage',
  method: 'get',
  path: '/',
  tag: 'Documentation',
  summary: 'What this is, whether it works, and the first order.',
  credential: 'none',
  price: CHEAP,
  answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  handle:
    ({ config, health, dashboard }: FrontPageParts) =>
    async (ctx) => {
      if (dashboard !== undefined) ctx.vary('Accept');
      if (dashboard !== undefined && isPageVisit(ctx)) return dashboard.page.answer(ctx);
      const { status, market } = await health.report();
      const state = `<p>${CONDITIONS[status]} Prices are ${PRICES[market.source]}.</p>`;
      answerPage(ctx, { title: TITLE, body: `${state}\n${bodyAt(config.PUBLIC_URL)}` });
    },
});

function bodyAt(publicUrl: string): string {
  const origin = escaped(publicUrl.replace(/\/+$/, ''));
  const base = `${origin}/v1/exchanges/perpx`;
  return `<p>Bots that are written for Hyperliquid’s API trade perpetual futures here with virtual money, against its order book.
They change the base address, nothing else.</p>
<h2>Addresses</h2>
<p>The key is in the path, or in the header <code>X-API-Key</code> and <code>/key/YOUR_KEY</code> is left out.</p>
<pre>POST ${base}/key/YOUR_KEY/info
POST ${base}/key/YOUR_KEY/exchange
     ${base.replace(/^http/, 'ws')}/key/YOUR_KEY/ws</pre>
<h2>First order</h2>
<p>Buy 0.001 BTC (asset 0) at the market:</p>
<pre>curl -s ${base}/key/YOUR_KEY/exchange -H 'content-type: application/json' -d '{
  "action": { "type": "order", "grouping": "na",
    "orders": [{ "a": 0, "b": true, "p": "0", "s": "0.001", "r": false, "t": { "limit": { "tif": "Ioc" } } }] },
  "nonce": 1 }'</pre>
<p>A key is made with an account: <code>POST /v1/auth/register</code>, then <code>POST /v1/auth/api-keys</code>. Who runs
<code>bin/start</code> has a demo account with a key already.</p>
<h2>Read on</h2>
<ul>
<li><a href="/docs">/docs</a>: the next steps, in the order of use, then every endpoint, field and error</li>
<li><a href="/docs/websocket">/docs/websocket</a>: the channels and messages of the WebSocket</li>
<li><a href="/llms.txt">/llms.txt</a>: all that a language model needs to write a bot</li>
<li><a href="/v1/openapi.json">/v1/openapi.json</a>, <a href="/v1/asyncapi.json">/v1/asyncapi.json</a>: the
same for programs</li>
<li><a href="/health">/health</a>: whether it works</li>
</ul>`;
}
