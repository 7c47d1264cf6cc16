// Follows one address of the venue and tells its account. The WebSocket tells fills and ends of orders at once; of an order that is new there
// the form is asked for, because the WebSocket does not tell it. After each opening of the socket the address is asked about as a whole, so
// what was missed is made up for. What is told twice has its effect once: the account knows the venue's numbers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceFill, SourceOpening } from '../../actors/core/messages/importReport.ts';
import { RequestError, TerminalError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { Retrying } from '../../shared/retrying.ts';
import type { FreshQuestions } from '../../shared/venue/venueQuestions.ts';
import { type OpeningPace, VenueSocket } from '../../shared/venue/venueSocket.ts';
import { type Hearing, UNHEARD } from './mirrorStore.ts';
import { FILLS_OF_ANSWER, type HeardOfAddress, readFillsAnswer, readUserFrame } from './userFrame.ts';
import { CLOCK_AHEAD_MS_MAX, toAskedOpening, toOpenings } from './venueAddress.ts';

/** Facts of one command: an order here takes its owner about a millisecond. */
const FACTS_MAX = 50;
/** What waits to be told; more of it is asked for as a whole. */
const HEARD_MAX = 10_000;
/** New orders that are asked for one by one (weight 2 each); for more all open orders are asked for at once (20). */
const ASKED_ONE_BY_ONE = 8;
/** Numbers of ended orders that are remembered, for an answer that is older than the end. */
const OVER_MAX = 1000;
/** Fills may be told so long after newer ones: the account knows which of them it has heard of. */
const LATE_MS = 10_000;
/** After an order was filled there its copy has this long: the trade that filled it is still on its way to the books here. */
const FILL_GRACE_MS = 2000;
const PAUSES = { firstMs: 250, mostMs: 15_000 };

export interface Facts {
  readonly fills: readonly SourceFill[];
  readonly ended: readonly number[];
  readonly opened: readonly SourceOpening[];
  readonly open?: readonly number[];
}

export interface AddressFollowerParts {
  readonly log: Logger;
  /** Base address of the venue's protocol. */
  readonly url: string;
  readonly pace: OpeningPace;
  readonly venue: Pick<FreshQuestions, 'askPatiently'>;
  readonly address: string;
  /** Id of the user on whom questions are counted. */
  readonly payer: string;
  /** Time of the newest fill that the account has heard of. */
  readonly throughMs: number;
  /** @returns false when the account listens no more @throws while it cannot be reached */
  readonly tell: (facts: Facts) => Promise<boolean>;
  /** The account listens no more. */
  readonly onRefused: () => void;
  /** The connection has opened or ended, or what was missed has been made up for. */
  readonly onHearing: () => void;
  readonly now: () => number;
}

const NOTHING: Facts = { fills: [], ended: [], opened: [] };

export class AddressFollower {
  readonly #parts: AddressFollowerParts;
  readonly #abort = new AbortController();
  readonly #socket: VenueSocket;
  readonly #graces = new Set<NodeJS.Timeout>();
  #heard: HeardOfAddress[] = [];
  #hasGap = false;
  #hearing = UNHEARD;
  #throughMs: number;
  /** Open orders of the address that the account knows. */
  readonly #known = new Set<number>();
  readonly #over = new Set<number>();
  /** New orders whose form is to be asked for. */
  readonly #toAsk = new Set<number>();
  #asking: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Asks again for fills of a time that has not come, less and less often. */
  #again: NodeJS.Timeout | undefined;
  readonly #retryingEarly = new Retrying('mirror_early_fills', { ...PAUSES, mostMs: CLOCK_AHEAD_MS_MAX });
  #wake: () => void = () => undefined;

  constructor(parts: AddressFollowerParts) {
    this.#parts = parts;
    this.#throughMs = parts.throughMs;
    const { log, url, pace, address: user } = parts;
    this.#socket = new VenueSocket({
      ...{ log, pace, url: `${url.replace(/\/+$/, '').replace(/^http/, 'ws')}/ws` },
      subscriptions: [
        { type: 'orderUpdates', user },
        { type: 'userFills', user },
      ],
      handlers: {
        onOpen: () => {
          const nowMs = parts.now();
          this.#hear({ connectedSinceMs: nowMs, heardMs: nowMs });
          this.#onGap();
        },
        onText: (text) => this.#onText(text),
        onDown: (reason) => {
          this.#hear({ connectedSinceMs: null, isCaughtUp: false });
          log.info({ address: user, reason }, 'a mirrored address is not heard');
        },
      },
    });
  }

  get hearing(): Hearing {
    return this.#hearing;
  }

  start(): void {
    this.#socket.open();
    this.#running = this.#run();
  }

  /** Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#socket.close();
    this.#abort.abort();
    for (const grace of this.#graces) clearTimeout(grace);
    this.#wake();
    await this.#running;
    await this.#asking;
    clearTimeout(this.#again);
  }

  #onGap(): void {
    this.#hasGap = true;
    this.#hear({ isCaughtUp: false });
    this.#wake();
  }

  #hear(change: Partial<Hearing>): void {
    this.#hearing = { ...this.#hearing, ...change };
    this.#parts.onHearing();
  }

  #onText(text: string): void {
    const { address, log, now } = this.#parts;
    this.#hearing = { ...this.#hearing, heardMs: now() };
    try {
      const heard = readUserFrame(text, address);
      if (heard === undefined) log.warn({ address, frame: text.slice(0, 200) }, 'a frame about another address is ignored');
      for (const each of heard ?? []) {
        if (each.type === 'fill' && this.#isEarly(each.fill)) this.#onGap();
        else this.#heard.push(each);
      }
    } catch (error) {
      log.warn({ address, reason: String(error) }, 'a frame about an address cannot be read: it is asked about as a whole');
      this.#onGap();
    }
    if (this.#heard.length > HEARD_MAX) {
      this.#heard = [];
      this.#onGap();
    }
    this.#wake();
  }

  async #run(): Promise<void> {
    const retrying = new Retrying('mirror', PAUSES);
    while (!this.#abort.signal.aborted) {
      try {
        if (this.#hasGap) await this.#closeGap();
        else if (this.#heard.length > 0) await this.#tellHeard();
        else await this.#nextWake();
        retrying.succeeded();
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        this.#onGap();
        await this.#pause(error, retrying);
      }
    }
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#abort.signal.aborted || this.#hasGap || this.#heard.length > 0) resolve();
    });
  }

  /** Fills first: one that comes in between belongs to an order that is listed with less left. */
  async #closeGap(): Promise<void> {
    await this.#asking;
    this.#hasGap = false;
    this.#toAsk.clear();
    const missed = await this.#missedFills();
    const fills = missed.filter((fill) => !this.#isEarly(fill));
    const told = toOpenings(await this.#ask({ type: 'frontendOpenOrders' }));
    const openings = told.openings.flatMap((opening) => this.#stillOpen(opening) ?? []);
    const open = told.open.filter((oid) => !this.#over.has(oid));
    for (const some of inParts(fills)) await this.#tell({ ...NOTHING, fills: some });
    await this.#tell({ ...NOTHING, open });
    for (const opened of inParts(openings)) await this.#tell({ ...NOTHING, opened });
    this.#known.clear();
    for (const oid of open) this.#known.add(oid);
    if (fills.length < missed.length) return this.#askAgain();
    this.#retryingEarly.succeeded();
    if (!this.#hasGap && this.#hearing.connectedSinceMs !== null) this.#hear({ isCaughtUp: true });
  }

  /** An answer may be older than an end that was heard before: of the order, or of a child. @returns undefined when it is over */
  #stillOpen(opening: SourceOpening): SourceOpening | undefined {
    const { order } = opening;
    if (this.#over.has(order.oid)) return undefined;
    const children = order.children?.filter(({ oid }) => !this.#over.has(oid));
    return children === undefined ? opening : { ...opening, order: { ...order, children } };
  }

  /** Whether a fill is of a time that has not come. An account that heard of it would pass over all that come until then. */
  #isEarly({ tid, timeMs }: SourceFill): boolean {
    const { address, log, now } = this.#parts;
    if (timeMs <= now() + CLOCK_AHEAD_MS_MAX) return false;
    log.warn({ address, tid, timeMs }, 'a fill of an address is of a time that has not come: it is left out until then');
    return true;
  }

  #askAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#onGap(), this.#retryingEarly.nextMs());
  }

  /** From when on there may be fills of which the account has not heard. */
  #fromMs(): number {
    return Math.max(0, this.#throughMs - LATE_MS);
  }

  async #missedFills(): Promise<SourceFill[]> {
    const missed: SourceFill[] = [];
    for (let startTime = this.#fromMs(); ; ) {
      const { count, lastMs, fills } = readFillsAnswer(await this.#ask({ type: 'userFillsByTime', startTime }));
      missed.push(...fills);
      if (count < FILLS_OF_ANSWER || lastMs === undefined || lastMs <= startTime) return missed;
      startTime = lastMs;
    }
  }

  async #tellHeard(): Promise<void> {
    const heard = this.#heard.splice(0, FACTS_MAX);
    // The first frame after an opening has fills of long ago, too.
    const fills = heard.flatMap((each) => (each.type === 'fill' && each.fill.timeMs >= this.#fromMs() ? [each.fill] : []));
    const ended: number[] = [];
    for (const each of heard) if (each.type === 'order' && this.#endsNow(each)) ended.push(each.oid);
    if (fills.length + ended.length > 0) await this.#tell({ ...NOTHING, fills, ended });
    if (this.#toAsk.size > 0 && this.#asking === undefined) {
      this.#asking = this.#askForms().finally(() => {
        this.#asking = undefined;
      });
    }
  }

  /** Notes what was heard of an order. @returns whether the account is to end its copy now */
  #endsNow({ oid, state }: Extract<HeardOfAddress, { type: 'order' }>): boolean {
    if (state === 'open') {
      if (!this.#known.has(oid) && !this.#over.has(oid)) this.#toAsk.add(oid);
      return false;
    }
    this.#over.add(oid);
    if (this.#over.size > OVER_MAX) for (const oldest of [...this.#over].slice(0, OVER_MAX / 2)) this.#over.delete(oldest);
    this.#toAsk.delete(oid);
    if (!this.#known.has(oid)) return false;
    if (state === 'over') return this.#known.delete(oid);
    const grace = setTimeout(() => {
      this.#graces.delete(grace);
      this.#heard.push({ type: 'order', oid, state: 'over' });
      this.#wake();
    }, FILL_GRACE_MS);
    this.#graces.add(grace);
    return false;
  }

  /** Asks for the orders that are new, and has them placed. Fills and ends are told meanwhile. */
  async #askForms(): Promise<void> {
    try {
      while (this.#toAsk.size > 0 && !this.#hasGap) {
        if (this.#toAsk.size > ASKED_ONE_BY_ONE) return this.#onGap();
        const [oid = 0] = this.#toAsk;
        const asked = toAskedOpening(await this.#ask({ type: 'orderStatus', oid }));
        this.#toAsk.delete(oid);
        const opening = asked && this.#stillOpen(asked);
        if (opening === undefined) continue;
        const oids = [opening.order, ...(opening.order.children ?? [])].map((order) => order.oid);
        for (const each of oids) this.#known.add(each);
        await this.#tell({ ...NOTHING, opened: [opening] });
        // The end of one was heard while it was being placed, or before it was known.
        for (const each of oids) {
          if (this.#over.has(each) && this.#known.has(each)) this.#heard.push({ type: 'order', oid: each, state: 'over' });
        }
        this.#wake();
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      await this.#pause(error, new Retrying('mirror', PAUSES));
      this.#onGap();
    }
  }

  #ask(question: object): Promise<unknown> {
    const { venue, address: user, payer } = this.#parts;
    return venue.askPatiently({ ...question, user }, payer, this.#abort.signal);
  }

  /** Until the account has heard it. */
  async #tell(facts: Facts): Promise<void> {
    const retrying = new Retrying('mirror', PAUSES);
    for (;;) {
      this.#abort.signal.throwIfAborted();
      try {
        if (await this.#parts.tell(facts)) break;
        this.#abort.abort();
        this.#socket.close();
        this.#parts.onRefused();
        this.#abort.signal.throwIfAborted();
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        await this.#pause(error, retrying);
      }
    }
    this.#throughMs = Math.max(this.#throughMs, ...facts.fills.map(({ timeMs }) => timeMs));
  }

  /** @throws AbortError at the end */
  async #pause(error: unknown, retrying: Retrying): Promise<void> {
    const nextMs = retrying.nextMs();
    const ms = error instanceof TerminalError ? PAUSES.mostMs : nextMs;
    const { log, address } = this.#parts;
    log.warn({ address, reason: String(error), retryInMs: ms }, 'a mirrored address cannot be followed at the moment');
    await sleep(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}

function inParts<Fact>(facts: readonly Fact[]): Fact[][] {
  const parts: Fact[][] = [];
  for (let at = 0; at < facts.length; at += FACTS_MAX) parts.push(facts.slice(at, at + FACTS_MAX));
  return parts;
}
