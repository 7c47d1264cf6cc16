// POST /control, where CONTROL is `on`: a test moves the emulated market, and time. The venue is asked as for market data, at MARKET_URL.
// The call is answered when this node shows the change and the actors have taken it, so that what is asked or sent next is decided by it.

import { requireReader } from '../../api/account/owner.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { CHEAP } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { assert } from '../../shared/domain/assert.ts';
import { SerialQueue } from '../../shared/waiting.ts';
import type { Advances } from './advances.ts';
import { changeMarket } from './changeMarket.ts';
import { ControlAnswer, ControlSchema, type MarketControl, readControl } from './controlBody.ts';
import { runScenario, scenarioLab } from './runScenario.ts';

export const controlEndpoint = endpoint({
  id: 'control',
  method: 'post',
  path: '/control',
  tag: 'Operations',
  summary: 'Moves the emulated market, or time.',
  description:
    'For tests. A coin whose book, trades, price or funding were set stands still until the venue starts again. Each user of the deployment may call it, and it moves the market of all.',
  credential: 'either',
  scope: 'trade',
  price: CHEAP,
  body: {
    schema: ControlSchema,
    examples: {
      book: {
        action: 'setBook',
        coin: 'BTC',
        bids: [{ px: '60000', sz: '1.5' }],
        asks: [{ px: '60001', sz: '0.25' }],
      },
      trade: { action: 'trade', coin: 'BTC', px: '60001', sz: '0.1', side: 'B' },
      price: { action: 'setPrice', coin: 'ETH', px: '2500.5' },
      funding: { action: 'setFunding', coin: 'BTC', rate: '0.0001' },
      pause: { action: 'pause', coin: 'SOL' },
      resume: { action: 'resume', coin: 'SOL' },
      disconnect: { action: 'disconnect', ms: 1000 },
      advance: { action: 'advance', ms: 60_000 },
      scenario: {
        action: 'scenario',
        file: 'name: gap\nsteps:\n  - { action: market, coin: ETH, percent: -5 }\n  - { at: 1s, action: wait }\n',
      },
      delist: { action: 'delist', coin: 'DOGE' },
    },
  },
  answer: { about: 'It is done.', schema: ControlAnswer },
  errors: {
    400: ['unknown_coin', 'upstream_refused'],
    409: ['coin_delisted'],
    503: ['upstream_unavailable', 'advance_unfinished', 'scenario_unfinished'],
    504: ['outcome_unknown'],
  },
  handle: (parts: ControlParts) => {
    const { config, advances, readBody, now, services } = parts;
    const { market } = services;
    assert(advances, 'the registry lists this endpoint where CONTROL is on');
    // The market is moved by one at a time: what one has changed is seen before the next one changes it again. A scenario takes a turn for
    // each of its moves, so others have theirs while it sets time ahead.
    const [turns, scenarios] = [new SerialQueue(), new SerialQueue()];
    const places = { url: config.MARKET_URL, market, advances };
    const change = (asked: MarketControl): Promise<ControlAnswer> => inTurn(turns, () => changeMarket(asked, places));
    return async (ctx) => {
      requireReader(ctx);
      const asked = readControl(await readBody(ctx));
      // The call has bounds of its own, beyond that of a silent connection, which is back with the next request.
      ctx.req.socket.setTimeout(0);
      if (asked.action === 'advance') answerJson(ctx, await inTurn(turns, () => advances.advance(asked.ms, asked.id ?? '')));
      else if (asked.action !== 'scenario') answerJson(ctx, await change(asked));
      else {
        const advance = advances.advance.bind(advances);
        const scenarioParts = { market, now, advance, control: change, setLab: scenarioLab(ctx, parts) };
        answerJson(ctx, await inTurn(scenarios, () => runScenario(asked, scenarioParts)));
      }
    };
  },
});

type ControlParts = AuthParts & {
  readonly services: { readonly market: LiveMarket };
  readonly advances?: Advances | undefined;
};

async function inTurn<T>(queue: SerialQueue, work: () => Promise<T>): Promise<T> {
  const end = await queue.take();
  try {
    return await work();
  } finally {
    end();
  }
}
