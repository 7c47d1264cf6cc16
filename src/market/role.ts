// The role `market`: one process of the deployment leads, reads the upstream and publishes. The others stand by (leadership.ts).
// The leader also tells an emulated venue the time.
import type { Role, RoleParts } from '../shared/deployment/role.ts';
import type { Logger } from '../shared/logger.ts';
import { requestControl } from '../shared/venue/requestInfo.ts';
import { countVenueWeight, VenueBudget } from '../shared/venue/venueBudget.ts';
import { type AskVenue, createMarketRequests } from '../shared/venue/venueQuestions.ts';
import { NO_LIMITS, OpeningPace, VENUE_LIMITS } from '../shared/venue/venueSocket.ts';
import { Leader, type LeaderStatus } from './leader.ts';
import { Leadership } from './leadership.ts';

export interface MarketRole extends Role {
  status(): MarketStatus;
}

export interface MarketStatus {
  readonly role: 'leader' | 'standby';
  readonly leader?: LeaderStatus;
}

type MarketParts = Pick<RoleParts, 'config' | 'log' | 'redis' | 'formats' | 'now'> &
  Partial<Pick<RoleParts, 'registry' | 'realNow' | 'clock'>>;

/** @param parts.redis a connection for commands; the caller closes it after `stop` */
export async function startMarket(parts: MarketParts): Promise<MarketRole> {
  const { config, log, redis, formats, registry, clock, realNow = parts.now } = parts;
  const { MARKET_URL: url, MARKET_SOURCE: source, MARKET_LEASE_TTL_MS: leaseTtlMs } = config;
  const now = clock?.marketNow ?? parts.now;
  const budget = new VenueBudget({ ...parts, ...(registry && { count: countVenueWeight(registry) }) });
  const pace = new OpeningPace(source === 'live' ? VENUE_LIMITS : NO_LIMITS, Math.random);
  const askVenue = createMarketRequests({ log, url, source, budget, now });
  const venueClock =
    source === 'emulated' && clock !== undefined
      ? new VenueClock({ log, url, marketMs: () => clock.offsets.marketMs })
      : undefined;
  const ask = venueClock?.before(askVenue) ?? askVenue;
  const leadership = new Leadership({
    ...{ log, redis, leaseTtlMs, name: config.NODE_ID || 'market' },
    begin: (term) => {
      log.info({ source, url }, 'leading the market feed');
      return Leader.begin({ log, redis, formats, now, realNow, source, url, ask, pace, leaseTtlMs, ...term });
    },
  });
  // Only the leader tells the venue the time; the next leader does when it begins.
  clock?.onShift(() => {
    if (venueClock === undefined || leadership.leader === undefined) return;
    void venueClock.tell();
    leadership.leader.onClock();
  });
  await leadership.start();
  return {
    status: () =>
      leadership.leader === undefined ? { role: 'standby' } : { role: 'leader', leader: leadership.leader.status() },
    // A process that stands by is ready, and so is one while the venue is away: the age of the feed tells of that.
    whyNotReady: () => (leadership.isHeard ? [] : ['Redis has not said lately who leads the market']),
    stop: () => leadership.stop(),
  };
}

/**
 * Keeps the emulated venue's time with the exchange's, which a test may set ahead. It is told when the time is set, and before it is read
 * whole: a venue that was started again begins with its machine's time. The recorded and the live venue have times of their own.
 */
export class VenueClock {
  readonly #parts: { readonly log: Logger; readonly url: string; readonly marketMs: () => number };

  /** @param parts.url of the emulated venue @param parts.marketMs how far the market's time is ahead */
  constructor(parts: { readonly log: Logger; readonly url: string; readonly marketMs: () => number }) {
    this.#parts = parts;
  }

  /** The venue is told before each reading of its whole list. */
  before(ask: AskVenue): AskVenue {
    return async (body, request) => {
      if ('type' in body && body.type === 'metaAndAssetCtxs') await this.tell();
      return ask(body, request);
    };
  }

  /** Resolves also when the venue is away: it is told again before it is read. */
  async tell(): Promise<void> {
    const { log, url, marketMs } = this.#parts;
    const offsetMs = marketMs();
    if (offsetMs === 0) return;
    await requestControl(url, { op: 'setClock', offsetMs }).catch((error: Error) => {
      log.warn({ reason: error.message }, 'the emulated venue could not be told the time');
    });
  }
}
