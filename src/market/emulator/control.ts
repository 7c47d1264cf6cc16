// The operations by which a test controls the emulated venue: push books, trades and prices, stop coins, break
// connections, say what scripted addresses do. A pushed coin stops moving by itself. The frames go out before the call is answered.
import { HOUR_MS } from '../../shared/domain/units.ts';
import type { ControlledVenue } from '../../shared/venue/requestInfo.ts';
import type { FeedLevel } from '../domain/feed.ts';
import { ControlError, type ScriptedAnswer, type VenueServer } from '../venue/venueServer.ts';
import type { Venue } from './venue.ts';
import type { UserAct, UserState, UserStep } from './venueUser.ts';
import type { ScriptState } from './venueUsers.ts';

type Level = readonly [px: string, sz: string, n?: number];

/** Body of `POST /control`, sent with the header `X-Control: 1`. Without `coin` an operation that allows it concerns all coins. */
export type ControlOperation =
  /** `isNew`: its levels are new to accounts that have taken from those before, else it is the venue's next book. */
  | {
      readonly op: 'setBook';
      readonly coin: string;
      readonly bids: readonly Level[];
      readonly asks: readonly Level[];
      readonly isNew?: true;
    }
  /** `side` is the aggressor's. The book loses what is taken and everything better, unless `keepBook`. */
  | {
      readonly op: 'trade';
      readonly coin: string;
      readonly px: string;
      readonly sz: string;
      readonly side: 'B' | 'A';
      readonly keepBook?: boolean;
      /** Default: now, and an id never used before. Given, for repeated and late trades. */
      readonly time?: number;
      readonly tid?: number;
    }
  | { readonly op: 'setMark' | 'setOracle' | 'setMid'; readonly coin: string; readonly px: string }
  /** Mark, oracle and mid at once, and the book around them unless `setBook` has set it. */
  | { readonly op: 'setPrice'; readonly coin: string; readonly px: string }
  | { readonly op: 'setFunding'; readonly coin: string; readonly rate: string }
  /** Rate of the hour that ends at `time` in the history of funding; `null`: the venue has none. */
  | { readonly op: 'setHourlyRate'; readonly coin: string; readonly time: number; readonly rate: string | null }
  /** No frame of the coin goes out until `resume`, so its data becomes stale. */
  | { readonly op: 'pause' | 'resume'; readonly coin?: string }
  /** The coin stands still, its book is sent with fresh times; `thaw` lets it move again. */
  | { readonly op: 'freezeMoves' | 'thaw'; readonly coin?: string }
  /** The venue takes the coin off its list: no book and no trade any more, its prices stay as they are. */
  | { readonly op: 'delist'; readonly coin: string }
  /** The coin's open interest is at its cap, or no longer. */
  | { readonly op: 'capOpenInterest' | 'freeOpenInterest'; readonly coin: string }
  /** Cuts all WebSocket connections. With `refuseMs`, new ones and REST calls fail for as long. */
  | { readonly op: 'disconnect'; readonly refuseMs?: number }
  /** The venue's time is so far ahead of its machine's from now on; it never goes back. All that is shown is sent again with that time. */
  | { readonly op: 'setClock'; readonly offsetMs: number }
  /** Sends a text frame as it is to every connection. */
  | { readonly op: 'send'; readonly text: string }
  /** Questions beyond so much of the venue's weight a minute are refused; null: none is. The venue allows an address 1,200. */
  | { readonly op: 'limitWeight'; readonly perMinute: number | null }
  /** The next questions of a type get this. */
  | ({ readonly op: 'answerNext' } & ScriptedAnswer)
  /** An address is like this from now on, without orders, fills and script. */
  | ({ readonly op: 'setUser'; readonly user: string } & UserState)
  /** It places, fills or cancels now. The answer has the order's number. */
  | { readonly op: 'userAct'; readonly user: string; readonly do: UserAct }
  /** It does these steps, each when it is due; a script that it has already is forgotten. */
  | { readonly op: 'userScript'; readonly user: string; readonly steps: readonly UserStep[] }
  /** The answer says how far its script is. */
  | { readonly op: 'scriptState'; readonly user: string };

/** Scripted trade ids lie above all ids of the paths. */
const SCRIPTED_TID_BASE = 2 ** 49;
let scriptedTrades = 0;

/** The act that was done, for a caller that waits until other processes see it. */
export interface Controlled extends ControlledVenue {
  /** Of an order that an address has placed, filled or cancelled. */
  readonly oid?: number;
  /** Of an address. */
  readonly script?: ScriptState;
}

type Server = Pick<VenueServer, 'disconnectAll' | 'sendAll' | 'answerNext' | 'limitWeight'>;

/** @throws {ControlError} that names the fault; nothing has happened then */
export function control(venue: Venue, server: Server, operation: ControlOperation): Controlled {
  const timeMs = venue.now();
  const tid = operation.op === 'trade' ? (operation.tid ?? scriptedTid(timeMs)) : undefined;
  const ofUser = operation.op === 'userAct' ? { oid: venue.users.act(operation.user, operation.do) } : undefined;
  if (ofUser === undefined) run(venue, server, { operation, nowMs: timeMs, tid: tid ?? 0 });
  const coin = 'coin' in operation && operation.coin !== undefined ? venue.coin(operation.coin) : undefined;
  return {
    timeMs,
    ...(tid !== undefined && { tid }),
    ...ofUser,
    ...(operation.op === 'scriptState' && { script: venue.users.script(operation.user) }),
    ...(coin && { book: coin.book }),
    isHeldBack: coin?.isPaused === true && operation.op !== 'pause',
  };
}

function run(
  venue: Venue,
  server: Server,
  { operation, nowMs, tid }: { operation: ControlOperation; nowMs: number; tid: number },
): void {
  switch (operation.op) {
    case 'setBook':
      requireCoin(venue, operation.coin).setBook(
        { bids: toLevels(operation.bids), asks: toLevels(operation.asks), isNew: operation.isNew === true },
        nowMs,
      );
      venue.emitMids();
      break;
    case 'trade': {
      requireNumber(operation.px);
      requireNumber(operation.sz);
      if (operation.side !== 'B' && operation.side !== 'A') throw new ControlError('side must be B or A');
      const trade = {
        side: operation.side === 'B' ? ('buy' as const) : ('sell' as const),
        price: operation.px,
        size: operation.sz,
        timeMs: operation.time ?? nowMs,
        tid,
      };
      requireCoin(venue, operation.coin).trade(trade, { keepBook: operation.keepBook === true });
      break;
    }
    case 'setMark':
    case 'setOracle':
    case 'setMid':
      requireCoin(venue, operation.coin).setPrices({ [PRICE_OF[operation.op]]: requireNumber(operation.px) }, nowMs);
      if (operation.op === 'setMid') venue.emitMids();
      break;
    case 'setPrice':
      requireCoin(venue, operation.coin).setPrice(requireNumber(operation.px), nowMs);
      venue.emitMids();
      break;
    case 'setFunding':
      requireCoin(venue, operation.coin).setPrices({ funding: operation.rate }, nowMs);
      break;
    case 'setHourlyRate':
      if (!Number.isSafeInteger(operation.time / HOUR_MS)) throw new ControlError('time must be a whole hour in ms');
      requireCoin(venue, operation.coin).setHourlyRate(operation.time / HOUR_MS, operation.rate);
      break;
    case 'pause':
      for (const coin of requireCoins(venue, operation.coin)) coin.isPaused = true;
      break;
    case 'resume':
      for (const coin of requireCoins(venue, operation.coin)) coin.resume(nowMs);
      break;
    case 'freezeMoves':
      for (const coin of requireCoins(venue, operation.coin)) coin.freeze(nowMs);
      break;
    case 'thaw':
      for (const coin of requireCoins(venue, operation.coin)) coin.thaw(nowMs);
      break;
    case 'delist':
      requireCoin(venue, operation.coin).delist(nowMs);
      break;
    case 'capOpenInterest':
      venue.atOpenInterestCap.add(requireCoin(venue, operation.coin).listing.coin);
      break;
    case 'freeOpenInterest':
      venue.atOpenInterestCap.delete(requireCoin(venue, operation.coin).listing.coin);
      break;
    case 'disconnect':
      server.disconnectAll(operation.refuseMs ?? 0);
      break;
    case 'setClock':
      if (!Number.isSafeInteger(operation.offsetMs) || operation.offsetMs < 0) throw new ControlError('offsetMs must be whole');
      venue.setClock(operation.offsetMs);
      break;
    case 'setUser':
      venue.users.set(operation.user, operation);
      break;
    case 'userScript':
      venue.users.follow(operation.user, operation.steps);
      break;
    case 'scriptState':
      break;
    case 'send':
      server.sendAll(operation.text);
      break;
    case 'limitWeight':
      if (operation.perMinute !== null && !(Number.isInteger(operation.perMinute) && operation.perMinute > 0))
        throw new ControlError('perMinute must be a whole number above 0, or null');
      server.limitWeight(operation.perMinute);
      break;
    case 'answerNext':
      if (![operation.status, operation.times].every((count) => Number.isInteger(count) && count > 0))
        throw new ControlError('status and times must be whole numbers above 0');
      server.answerNext(operation);
      break;
    default:
      throw new ControlError(`unknown op ${String((operation as { op: unknown }).op)}`);
  }
}

const PRICE_OF = { setMark: 'mark', setOracle: 'oracle', setMid: 'mid' } as const;

function requireCoin(venue: Venue, name: string): ReturnType<Venue['coins']>[number] {
  const coin = venue.coin(name);
  if (coin === undefined) throw new ControlError(`unknown coin ${name}`);
  return coin;
}

function requireCoins(venue: Venue, name: string | undefined): ReturnType<Venue['coins']> {
  return name === undefined ? venue.coins() : [requireCoin(venue, name)];
}

function toLevels(levels: readonly Level[]): FeedLevel[] {
  if (!Array.isArray(levels)) throw new ControlError('bids and asks must be arrays of [px, sz, n?]');
  return levels.map(([px, sz, n = 1]) => [requireNumber(px), requireNumber(sz), n]);
}

function requireNumber(text: unknown): string {
  if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text)) throw new ControlError(`not a decimal text: ${String(text)}`);
  return text.includes('.') ? text : `${text}.0`;
}

function scriptedTid(nowMs: number): number {
  scriptedTrades += 1;
  return SCRIPTED_TID_BASE + (((nowMs * 128) % 2 ** 48) + scriptedTrades);
}
