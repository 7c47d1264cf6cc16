// The sources of public channels: this node's view of the market, or the venue at intervals.

import type { PayingServices } from '../../accounts/askVenue.ts';
import { requireCoin, unknownCoin } from '../../accounts/coins.ts';
import type { Services } from '../../accounts/services.ts';
import { readSpotPairs } from '../../info/venueOnly.ts';
import type { Serving, Subscription } from './channel.ts';
import type { MarketStream, MarketTopic } from './marketStream.ts';
import { type Broadcast, type OpenSource, type Source, sharedChannel } from './sharedChannel.ts';

/**
 * A source whose whole state is in this node's view of the market. It makes a message when the market changes, and
 * sends none that equals the last.
 * @param topics the topics whose changes change the state
 * @param make the state as a message; undefined while there is none
 * @param options.everyMs how often it is made at most; absent = whenever it changes
 */
export function followedSource(
  market: MarketStream,
  topics: readonly MarketTopic[],
  { make, broadcast, everyMs = 0 }: { make: () => Buffer | undefined; broadcast: Broadcast; everyMs?: number },
): Source {
  let last = make();
  let pushedAt = Number.NEGATIVE_INFINITY;
  /** While a change waits. */
  let pause: NodeJS.Timeout | undefined;

  const push = (): void => {
    clearTimeout(pause);
    pause = undefined;
    pushedAt = performance.now();
    const next = make();
    if (next === undefined || last?.equals(next)) return;
    last = next;
    broadcast.latest(next);
  };
  const onChange = (): void => {
    const waitMs = pushedAt + Math.max(everyMs, broadcast.paceMs()) - performance.now();
    if (waitMs <= 0) push();
    else pause ??= setTimeout(push, waitMs);
  };

  const ends = topics.map((topic) => market.listen(topic, onChange));
  return {
    snapshot: () => {
      if (pause !== undefined) push();
      return last === undefined ? [] : [last];
    },
    close: () => {
      clearTimeout(pause);
      for (const end of ends) end();
    },
  };
}

// A source that asks the venue at intervals: for data that is not followed here, such as spot pairs. All subscribers
// at all nodes together cost the venue one question per interval, because the answers are shared. The users of the
// subscribers pay the questions in turn.

/** How often questions are asked of which the venue counts 2 and 20: both cost about as much a minute. */
const LIGHT_EVERY_MS = 2000;
const HEAVY_EVERY_MS = 10_000;

/** On the account of the subscribers. */
export const paidBySubscribers = (services: Services, { payers }: Broadcast): PayingServices => ({ ...services, payers });

/**
 * @param ask the state as a message
 * @throws {RequestError} when the first question fails
 */
export async function polledSource(
  services: Services,
  ask: (services: PayingServices) => Promise<Buffer>,
  { broadcast, isLight = false }: { broadcast: Broadcast; isLight?: boolean },
): Promise<Source> {
  const paying = paidBySubscribers(services, broadcast);
  let last = await ask(paying);
  const everyMs = isLight ? LIGHT_EVERY_MS : HEAVY_EVERY_MS;
  const end = poll({ services, everyMs }, async () => {
    const next = await ask(paying);
    if (next.equals(last)) return;
    last = next;
    broadcast.latest(next);
  });
  return { snapshot: () => [last], close: end };
}

/**
 * Runs a function at intervals, never twice at a time. A failure is logged and leaves a gap in the stream until the next run.
 * @returns a function that ends the runs
 */
export function poll(
  { services: { log }, everyMs = HEAVY_EVERY_MS }: { services: Pick<Services, 'log'>; everyMs?: number },
  run: () => Promise<void>,
): () => void {
  let isRunning = false;
  const onTime = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run();
    } catch (error) {
      log.debug({ err: error }, 'a stream of what the venue alone knows has a gap');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void onTime(), everyMs);
  return () => clearInterval(timer);
}

/**
 * A source of a spot pair. Pairs are not followed here, so the venue is also asked whether a pair exists.
 * @param open the source of a pair that is listed
 * @throws {RequestError} 400 `unknown_coin` for a pair that the venue does not list
 */
async function spotSource(coin: string, services: Services, open: () => Promise<Source>): Promise<Source> {
  if (!(await readSpotPairs(services)).has(coin)) throw unknownCoin(coin);
  return open();
}

interface CoinSources<S extends Subscription> {
  readonly perp: OpenSource<S>;
  readonly spot: (...opened: Parameters<OpenSource<S>>) => Promise<Source>;
}

/**
 * A public channel of one coin. A perpetual's data comes from this node's view of the market; the venue is asked for
 * a spot pair's.
 */
export const coinChannel = <S extends Subscription & { readonly coin: string }>(
  { perp, spot }: CoinSources<S>,
  services: Services,
): Serving<S> => ({
  ...sharedChannel<S>((subscription, broadcast) => {
    const { coin } = subscription;
    if (requireCoin(coin, services) === 'passed') return spotSource(coin, services, () => spot(subscription, broadcast));
    return perp(subscription, broadcast);
  }),
  check: ({ coin }) => void requireCoin(coin, services),
});
