// Tells an account what the address did that it follows, until the account has heard it.
import type { SourceFill, SourceOpening } from '../../actors/core/messages/importReport.ts';
import { RequestError, TerminalError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { Retrying } from '../../shared/retrying.ts';
import { pause } from '../../shared/waiting.ts';

/** Facts of one command: an order here takes its owner about a millisecond. */
export const FACTS_MAX = 50;
/** Fills may be told so long after newer ones: the account knows which of them it has heard of. */
const LATE_MS = 10_000;
export const PAUSES = { firstMs: 250, mostMs: 15_000 };

export interface Facts {
  readonly fills: readonly SourceFill[];
  readonly ended: readonly number[];
  readonly opened: readonly SourceOpening[];
  readonly open?: readonly number[];
}

const NOTHING: Facts = { fills: [], ended: [], opened: [] };

export interface FactTellerParts {
  readonly log: Logger;
  readonly address: string;
  /** Time of the newest fill that the account has heard of. */
  readonly throughMs: number;
  /** @returns false when the account listens no more @throws while it cannot be reached */
  readonly tell: (facts: Facts) => Promise<boolean>;
  /** The account listens no more. */
  readonly onRefused: () => void;
}

export class FactTeller {
  readonly #parts: FactTellerParts;
  readonly #signal: AbortSignal;
  #throughMs: number;

  /** @param signal ends all telling */
  constructor(parts: FactTellerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#throughMs = parts.throughMs;
  }

  /** From when on there may be fills of which the account has not heard. */
  get fromMs(): number {
    return Math.max(0, this.#throughMs - LATE_MS);
  }

  /** Until the account has heard it. @throws AbortError at the end */
  async tell(some: Partial<Facts>): Promise<void> {
    const facts = { ...NOTHING, ...some };
    const retrying = new Retrying('mirror', PAUSES);
    for (;;) {
      this.#signal.throwIfAborted();
      try {
        if (await this.#parts.tell(facts)) break;
        this.#parts.onRefused();
        this.#signal.throwIfAborted();
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        await this.pause(error, retrying);
      }
    }
    this.#throughMs = Math.max(this.#throughMs, ...facts.fills.map(({ timeMs }) => timeMs));
  }

  /** Before the next try, whether the venue or the account was away. */
  async pause(error: unknown, retrying: Retrying): Promise<void> {
    const nextMs = retrying.nextMs();
    const ms = error instanceof TerminalError ? PAUSES.mostMs : nextMs;
    const { log, address } = this.#parts;
    log.warn({ address, reason: String(error), retryInMs: ms }, 'a mirrored address cannot be followed at the moment');
    await pause(ms, this.#signal);
  }
}
