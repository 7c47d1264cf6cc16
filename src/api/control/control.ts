// POST /control, where CONTROL is `on`: a test moves the emulated market. The venue is asked as for market data, at MARKET_URL. The
// call is answered when this node shows the change, so that the next question is answered by it.
import { Type } from '@sinclair/typebox';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config.ts';
import { RequestError, RetryableError, TerminalError } from '../../shared/errors.ts';
import { type ControlledVenue, requestControl } from '../../shared/venue/requestControl.ts';
import type { AuthRouter } from '../auth/authParts.ts';
import { type AnswerFor, EpochMs, exactly } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { requireReader } from '../dashboard/requireReader.ts';
import { answerJson } from '../http/answerJson.ts';
import type { BodyReader } from '../http/body.ts';
import { SerialQueue } from '../stream/serialQueue.ts';
import { type ControlBody, ControlSchema, readControl } from './controlBody.ts';
import { toOperations } from './controlOperation.ts';
import { becomesShown } from './shownHere.ts';

const ControlAnswer = named(
  'ControlAnswer',
  exactly({
    status: Type.Literal('ok'),
    time: described(EpochMs, 'When the venue did it, by its clock.'),
    shown: described(
      Type.Boolean(),
      'Whether this API shows the change now. False: the coin is paused, or the venue is cut off; it is shown when that ends.',
    ),
  }),
);

export const controlEndpoint = endpoint({
  id: 'control',
  method: 'post',
  path: '/control',
  tag: 'Operations',
  summary: 'Moves the emulated market.',
  description:
    'For tests. A coin whose book, trades, price or funding were set stands still until the venue starts again. Each user of the deployment may call it, and it moves the market of all.',
  credential: 'either',
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
      delist: { action: 'delist', coin: 'DOGE' },
    },
  },
  answer: { about: 'It is done.', schema: ControlAnswer },
  errors: {
    400: ['unknown_coin', 'upstream_refused'],
    409: ['coin_delisted'],
    503: ['upstream_unavailable'],
  },
});

interface ControlParts {
  readonly config: Pick<Config, 'MARKET_URL'>;
  readonly market: LiveMarket;
  readonly readBody: BodyReader;
}

export function mountControl(router: AuthRouter, { config, market, readBody }: ControlParts): void {
  // One at a time: what one has changed is seen before the next one changes it again.
  const turns = new SerialQueue();
  router.post(controlEndpoint.path, async (ctx) => {
    requireReader(ctx);
    const asked = readControl(await readBody(ctx));
    const end = await turns.take();
    try {
      answerJson(ctx, await control(asked, { url: config.MARKET_URL, market }));
    } finally {
      end();
    }
  });
}

async function control(
  asked: ControlBody,
  { url, market }: { url: string; market: LiveMarket },
): Promise<AnswerFor<typeof ControlAnswer>> {
  const connectedSinceMs = market.status?.connectedSinceMs;
  const [first, ...others] = toOperations(asked, market);
  const done = await ask(url, first ?? {});
  for (const operation of others) await ask(url, operation);
  return { status: 'ok', time: done.timeMs, shown: await becomesShown(market, { asked, done, connectedSinceMs }) };
}

/** @throws {RequestError} 400 when the venue refuses, 503 when it is away */
async function ask(url: string, operation: object): Promise<ControlledVenue> {
  try {
    return await requestControl(url, operation);
  } catch (error) {
    if (error instanceof TerminalError) throw new RequestError(400, 'upstream_refused', error.message);
    if (error instanceof RetryableError) {
      const text = 'The emulated venue does not answer: whether it was done is unknown.';
      throw new RequestError(503, 'upstream_unavailable', text, { 'Retry-After': '1' });
    }
    throw error;
  }
}
