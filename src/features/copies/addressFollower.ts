// Follows one address of the venue and tells its account. The WebSocket tells fills and ends of orders at once; of an order that is new there
// the form is asked for, because the WebSocket does not tell it. After each opening of the socket the address is asked about as a whole, so
// what was missed is made up for. What is told twice has its effect once: the account knows the venue's numbers.
import type { SourceFill } from '../../actors/core/messages/importReport.ts';
import { Retrying } from '../../shared/retrying.ts';
import type { FreshQuestions } from '../../shared/venue/venueQuestions.ts';
import { type OpeningPace, VenueSocket } from '../../shared/venue/venueSocket.ts';
import { type Ask, fillsSince } from './askAddress.ts';
import { FACTS_MAX, FactTeller, type FactTellerParts, PAUSES } from './factTeller.ts';
import { type Hearing, UNHEARD } from './mirrorStore.ts';
import { SourceOrders } from './sourceOrders.ts';
import { type HeardOfAddress, readUserFrame } from './userFrame.ts';
import { CLOCK_AHEAD_MS_MAX, toAskedOpening, toOpenings } from './venueAddress.ts';

/** What waits to be told; more of it is asked for as a whole. */
const HEARD_MAX = 10_000;
/** New orders that are asked for one by one (weight 2 each); for more all open orders are asked for at once (20). */
const ASKED_ONE_BY_ONE = 8;
interface AddressFollowerParts extends FactTellerParts {
  /** Base address of the venue's protocol. */
  readonly url: string;
  readonly pace: OpeningPace;
  readonly venue: Pick<FreshQuestions, 'askPatiently'>;
  /** Id of the user on whom questions are counted. */
  readonly payer: string;
  /** The connection has opened or ended, or what was missed has been made up for. */
  readonly onHearing: () => void;
  readonly now: () => number;
}

export class AddressFollower {
  readonly #parts: AddressFollowerParts;
  readonly #abort = new AbortController();
  readonly #socket: VenueSocket;
  readonly #teller: FactTeller;
  readonly #orders = new SourceOrders((oid) => this.#onOver(oid));
  #heard: HeardOfAddress[] = [];
  #hasGap = false;
  #hearing = UNHEARD;
  #asking: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Asks again for fills of a time that has not come, less and less often. */
  #again: NodeJS.Timeout | undefined;
  readonly #retryingEarly = new Retrying('mirror_early_fills', { ...PAUSES, mostMs: CLOCK_AHEAD_MS_MAX });
  #wake: () => void = () => undefined;

  constructor(parts: AddressFollowerParts) {
    this.#parts = parts;
    const { log, url, pace, address: user } = parts;
    const onRefused = (): void => {
      this.#abort.abort();
      this.#socket.close();
      parts.onRefused();
    };
    this.#teller = new FactTeller({ ...parts, onRefused }, this.#abort.signal);
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
    this.#orders.stop();
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
        await this.#teller.pause(error, retrying);
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
    this.#orders.toAsk.clear();
    const missed = await fillsSince(this.#ask, this.#teller.fromMs);
    const fills = missed.filter((fill) => !this.#isEarly(fill));
    const told = toOpenings(await this.#ask('frontendOpenOrders'));
    const openings = told.openings.flatMap((opening) => this.#orders.stillOpen(opening) ?? []);
    const open = told.open.filter((oid) => !this.#orders.isOver(oid));
    for (const some of inParts(fills)) await this.#teller.tell({ fills: some });
    await this.#teller.tell({ open });
    for (const opened of inParts(openings)) await this.#teller.tell({ opened });
    this.#orders.openAre(open);
    if (fills.length < missed.length) return this.#askAgain();
    this.#retryingEarly.succeeded();
    if (!this.#hasGap && this.#hearing.connectedSinceMs !== null) this.#hear({ isCaughtUp: true });
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

  async #tellHeard(): Promise<void> {
    const heard = this.#heard.splice(0, FACTS_MAX);
    // The first frame after an opening has fills of long ago, too.
    const fills = heard.flatMap((each) => (each.type === 'fill' && each.fill.timeMs >= this.#teller.fromMs ? [each.fill] : []));
    const ended: number[] = [];
    for (const each of heard) if (each.type === 'order' && this.#orders.endsNow(each)) ended.push(each.oid);
    if (fills.length + ended.length > 0) await this.#teller.tell({ fills, ended });
    if (this.#orders.toAsk.size > 0 && this.#asking === undefined) {
      this.#asking = this.#askForms().finally(() => {
        this.#asking = undefined;
      });
    }
  }

  #onOver(oid: number): void {
    this.#heard.push({ type: 'order', oid, state: 'over' });
    this.#wake();
  }

  /** Asks for the orders that are new, and has them placed. Fills and ends are told meanwhile. */
  async #askForms(): Promise<void> {
    const { toAsk } = this.#orders;
    try {
      while (toAsk.size > 0 && !this.#hasGap) {
        if (toAsk.size > ASKED_ONE_BY_ONE) return this.#onGap();
        const [oid = 0] = toAsk;
        const asked = toAskedOpening(await this.#ask('orderStatus', { oid }));
        toAsk.delete(oid);
        const opening = asked && this.#orders.stillOpen(asked);
        if (opening === undefined) continue;
        const oids = [opening.order, ...(opening.order.children ?? [])].map((order) => order.oid);
        this.#orders.add(oids);
        await this.#teller.tell({ opened: [opening] });
        // The end of one was heard while it was being placed, or before it was known.
        for (const each of oids) if (this.#orders.isToEnd(each)) this.#onOver(each);
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      await this.#teller.pause(error, new Retrying('mirror', PAUSES));
      this.#onGap();
    }
  }

  readonly #ask: Ask = (type, more) => {
    const { venue, address: user, payer } = this.#parts;
    return venue.askPatiently({ type, ...more, user }, payer, this.#abort.signal);
  };
}

function inParts<Fact>(facts: readonly Fact[]): Fact[][] {
  const parts: Fact[][] = [];
  for (let at = 0; at < facts.length; at += FACTS_MAX) parts.push(facts.slice(at, at + FACTS_MAX));
  return parts;
}
