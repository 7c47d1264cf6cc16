// The scripted addresses of the emulated venue. A control call places, fills and cancels for one, or gives it a script whose steps come at
// their time or at a mark. What happens goes to who follows the address, and a fill is a public trade, too.
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { ControlError } from '../venue/venueServer.ts';
import { toWireFill, toWireUpdate } from './userAnswers.ts';
import type { VenueCoin } from './venueCoin.ts';
import {
  ABSTRACTIONS,
  dexOf,
  type OrderChange,
  requireDecimal,
  requirePositive,
  toAddress,
  type UserAct,
  type UserFill,
  type UserState,
  type UserStep,
  VenueUser,
} from './venueUser.ts';

const USERS_MAX = 1000;
const STEPS_MAX = 1000;
/** Numbers of orders and fills lie above all others that are scripted. */
const FIRST_OID = 2 ** 46;
const FIRST_TID = 2 ** 49 + 2 ** 48;

export type UserEmit = (channel: 'orderUpdates' | 'userFills', user: string, data: unknown) => void;

export interface UsersParts {
  readonly now: () => number;
  readonly coin: (name: string) => VenueCoin | undefined;
  readonly emit: UserEmit;
}

interface Script {
  readonly begunMs: number;
  readonly steps: UserStep[];
  failure?: string;
}

/** How many steps are to come, and what ended a script before its end. */
export interface ScriptState {
  readonly left: number;
  readonly failure?: string;
}

export class VenueUsers {
  readonly #parts: UsersParts;
  readonly #users = new Map<string, VenueUser>();
  readonly #scripts = new Map<string, Script>();
  #nextOid = FIRST_OID;
  #nextTid = FIRST_TID;

  constructor(parts: UsersParts) {
    this.#parts = parts;
  }

  /** One that nobody has scripted has nothing, as at the venue. @param address lower case */
  read(address: string): VenueUser {
    return this.#users.get(address) ?? new VenueUser(address, new Decimal(0));
  }

  /** Builder-deployed dexs on which any address has a position, in the order of their names. */
  get dexs(): readonly string[] {
    const coins = [...this.#users.values()].flatMap(({ positions }) => [...positions.keys()]);
    return [...new Set(coins.map(dexOf))].filter((dex) => dex !== '').sort();
  }

  /** @throws {ControlError} that names the fault; the address is as it was then */
  set(address: unknown, { balance, positions = [], spot = [], abstraction = 'default' }: UserState): void {
    if (!ABSTRACTIONS.includes(abstraction)) throw new ControlError(`abstraction must be one of ${ABSTRACTIONS.join(', ')}`);
    const user = new VenueUser(requireAddress(address), requireDecimal(balance, 'balance'));
    for (const { coin, szi, entryPx, leverage, isolated = false } of positions) {
      if (!Number.isInteger(leverage) || leverage < 1) throw new ControlError('leverage must be a whole number');
      const [signedSize, entryPrice] = [requireDecimal(szi, 'szi'), requirePositive(entryPx, 'entryPx')];
      user.setPosition({ coin, signedSize, entryPrice, leverage, marginMode: isolated ? 'isolated' : 'cross' });
    }
    Object.assign(user, { spot, abstraction });
    if (!this.#users.has(user.address) && this.#users.size >= USERS_MAX) throw new ControlError('too many addresses');
    this.#users.set(user.address, user);
    this.#scripts.delete(user.address);
  }

  /** @returns the order's number @throws {ControlError} that names the fault; nothing has happened then */
  act(address: unknown, act: UserAct): number {
    return this.#act(this.#require(address), act);
  }

  /** @throws {ControlError} */
  follow(address: unknown, steps: readonly UserStep[]): void {
    const user = this.#require(address);
    if (!Array.isArray(steps) || steps.length > STEPS_MAX) throw new ControlError(`steps: at most ${STEPS_MAX}`);
    this.#scripts.set(user.address, { begunMs: this.#parts.now(), steps: [...steps] });
  }

  /** @throws {ControlError} */
  script(address: unknown): ScriptState {
    const { steps, failure } = this.#scripts.get(this.#require(address).address) ?? { steps: [] };
    return { left: steps.length, ...(failure !== undefined && { failure }) };
  }

  /** Does what is due now. A step that makes no sense any more ends its script. */
  advance(): void {
    for (const [address, script] of this.#scripts) {
      const user = this.#users.get(address);
      for (let [step] = script.steps; user && step && this.#isDue(step, script); [step] = script.steps) {
        script.steps.shift();
        try {
          this.#act(user, step.do);
        } catch (error) {
          if (!(error instanceof ControlError)) throw error;
          script.steps.length = 0;
          script.failure = error.message;
        }
      }
    }
  }

  #isDue({ afterMs = 0, mark }: UserStep, { begunMs }: Script): boolean {
    const nowMs = this.#parts.now();
    if (nowMs < begunMs + afterMs) return false;
    if (mark === undefined) return true;
    const { markPx } = this.#parts.coin(mark.coin)?.context(nowMs) ?? {};
    if (markPx === undefined) return false;
    return Number(markPx) >= Number(mark.atLeast ?? 0) && Number(markPx) <= Number(mark.atMost ?? Number.POSITIVE_INFINITY);
  }

  #act(user: VenueUser, act: UserAct): number {
    switch (act.act) {
      case 'place':
        return this.#place(user, act);
      case 'fill':
        return this.#fill(user, act);
      case 'cancel':
        this.#tell(user, requireOpen(user.cancel(act.oid, this.#parts.now()), act.oid));
        return act.oid;
      default:
        throw new ControlError(`unknown act ${String((act as { act: unknown }).act)}`);
    }
  }

  #place(user: VenueUser, act: Extract<UserAct, { act: 'place' }>): number {
    const { coin, side, tif = 'Gtc', reduceOnly = false, cloid = null, trigger } = act;
    if (side !== 'A' && side !== 'B') throw new ControlError('side must be A or B');
    const [limitPrice, size] = [requirePositive(act.px, 'px'), requireDecimal(act.sz, 'sz')];
    const oid = act.oid ?? this.#nextOid++;
    const timeInForce = trigger === undefined ? tif : null;
    const placedAtMs = this.#parts.now();
    const sizes = { limitPrice, size, originalSize: size };
    const change = user.place({ oid, cloid, coin, side, reduceOnly, timeInForce, placedAtMs, trigger, ...sizes });
    if (change === undefined) throw new ControlError(`order ${oid} cannot be placed: there are too many, or it is open`);
    this.#tell(user, change);
    return oid;
  }

  #fill(user: VenueUser, { oid, px, sz, crossed = false }: Extract<UserAct, { act: 'fill' }>): number {
    const open = requireOpen(user.orders.get(oid), oid);
    const price = px === undefined ? open.limitPrice : requirePositive(px, 'px');
    const size = sz === undefined ? open.size : requirePositive(sz, 'sz');
    const ids = { tid: this.#nextTid++, timeMs: this.#parts.now(), isTaker: crossed };
    const done = user.fill({ oid, price, size }, ids);
    if (done === undefined) throw new ControlError(`sz is more than is left of order ${oid}`);
    this.#publish(done.fill);
    this.#tell(user, done.change);
    this.#parts.emit('userFills', user.address, { user: user.address, fills: [toWireFill(done.fill)] });
    return oid;
  }

  /** The trade that the public sees: its side is that of who crossed. */
  #publish({ order, price, size, timeMs, tid, isTaker }: UserFill): void {
    const side = (order.side === 'B') === isTaker ? 'buy' : 'sell';
    const trade = { side, price: toWire(price), size: toWire(size), timeMs, tid } as const;
    this.#parts.coin(order.coin)?.trade(trade, { keepBook: true });
  }

  #tell(user: VenueUser, change: OrderChange): void {
    this.#parts.emit('orderUpdates', user.address, [toWireUpdate(change)]);
  }

  #require(address: unknown): VenueUser {
    const user = this.#users.get(requireAddress(address));
    if (user === undefined) throw new ControlError('the address is not scripted: setUser comes first');
    return user;
  }
}

function requireAddress(value: unknown): string {
  const address = toAddress(value);
  if (address === undefined) throw new ControlError('user must be an address');
  return address;
}

function requireOpen<Found>(found: Found | undefined, oid: number): Found {
  if (found === undefined) throw new ControlError(`order ${oid} is not open`);
  return found;
}
