// Keeps the emulated venue's time with the exchange's, which a test may set ahead. It is told when the time is set, and before it is read
// whole: a venue that was started again begins with its machine's time. The recorded and the live venue have times of their own.
import type { Logger } from '../shared/logger.ts';
import { requestControl } from '../shared/venue/requestInfo.ts';
import type { AskVenue } from '../shared/venue/venueQuestions.ts';

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
