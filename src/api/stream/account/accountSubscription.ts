// Subscriptions to an account: the fields that each of them may have, and a subscription to a channel of rows.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { Call } from '../../accounts/services.ts';
import { described } from '../../contract/named.ts';
import { AddressText, absentOr, WholeNumber } from '../../http/requestReader.ts';
import {
  closeCodes,
  type Subscriber,
  type Subscription,
  type SubscriptionReader,
  type SubscriptionTo,
  subscriptionReader,
} from '../channel/channel.ts';

export interface AccountSubscription extends Subscription {
  /** An account of the key's user, or any other address for the key's own account. */
  readonly user?: string | null;
  /** Sequence number of the last message that the client has: later messages are sent first. */
  readonly fromSeq?: number | null;
  /** Snapshots name the hash of the state that they show. */
  readonly stateHash?: boolean | null;
}

/** The fields that every subscription to an account may have. */
const ACCOUNT_FIELDS = {
  user: described(
    absentOr(AddressText),
    'The master account or a sub-account of the key’s user; for any other address, and without one, it is the key’s own account. Echoed.',
  ),
  fromSeq: described(
    absentOr(WholeNumber),
    'Sequence number of the last message that the client has: all later ones come first, in place of a snapshot.',
  ),
  stateHash: described(
    absentOr(Type.Boolean({ expected: 'a boolean' })),
    'With true each snapshot has `stateHash`, which names the state of the account at its `seq`.',
  ),
};

/** Of a state that is sent at intervals, too. */
export interface StateSubscription extends AccountSubscription {
  /** A state that equals the last one sent is not sent. */
  readonly onlyChanges?: boolean | null;
}

/** Further fields of a channel of states. */
export const STATE_FIELDS = {
  onlyChanges: described(
    absentOr(Type.Boolean({ expected: 'a boolean' })),
    'With true a state is sent only when its `data` is another than that of the last message. Without it, it comes every few seconds, too.',
  ),
};

type AccountFields = typeof ACCOUNT_FIELDS;

/** @returns a reader as `subscriptionReader` makes it; the address is repeated in lower case */
export function accountReader<T extends string, F extends TProperties>(
  type: T,
  fields: F,
  defaults: Partial<Static<TObject<F & AccountFields>>> = {},
): SubscriptionReader<SubscriptionTo<T, F & AccountFields>> {
  const read = subscriptionReader<T, F & AccountFields>(type, { ...ACCOUNT_FIELDS, ...fields }, defaults);
  const readAddress = (sent: object) => {
    const subscription = read(sent);
    const { user } = subscription as AccountSubscription;
    return user == null ? subscription : { ...subscription, user: user.toLowerCase() };
  };
  return Object.assign(readAddress, { type, schema: read.schema });
}

/** The address in messages: the requested one, because clients route by it; else the account's own. */
export const addressOf = ({ user }: AccountSubscription, { caller }: Call): string => user ?? caller.address;

/** Entries, and their rows, that may wait while a subscription is being opened, which takes seconds at most, or catches up. */
const WAITING_MAX = 10_000;
const WAITING_ROWS_MAX = 30_000;
/** How often a client that reads the past slowly is checked, ms. */
const CATCH_UP_MS = 10;
/** Rows after which others get their turn: some milliseconds. */
const ROWS_A_TURN = 256;

/** An update as messages, made when the first subscriber needs them. */
export interface PreparedUpdate {
  readonly seq: number;
  readonly rows: number;
  readonly messages: () => readonly Buffer[];
}

/** A part of the past. */
interface PastPage {
  readonly updates: readonly PreparedUpdate[];
  /** Updates at or below it are told. */
  readonly seq: number;
  readonly isLast: boolean;
}

/** The pages after the first. */
export type PastPages = AsyncGenerator<PastPage, void, void>;

/**
 * One subscription to an account's events: first what was before it, page by page and as fast as the client reads, and
 * then what follows. What follows waits meanwhile, with a bound.
 */
export class RowSubscription {
  readonly #subscriber: Subscriber;
  /** Updates since the subscription was requested; undefined once all of them are sent. */
  #waiting: PreparedUpdate[] | undefined = [];
  #waitingRows = 0;
  #seq = 0;
  #isStopped = false;
  /** Rows that were told without a break. */
  #rows = 0;
  readonly #onPastSent: () => void;

  constructor(subscriber: Subscriber, onPastSent: () => void) {
    this.#subscriber = subscriber;
    this.#onPastSent = onPastSent;
  }

  /** @param onError told of what ended the past, and the socket with it */
  start(first: PastPage, past: PastPages, onError: (error: unknown) => void): void {
    this.#catchUp(first, past).catch((error: unknown) => {
      if (this.#isStopped) return;
      onError(error);
      this.onBroken();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#onPastSent();
  }

  onPrepared(said: PreparedUpdate): void {
    if (this.#waiting === undefined) {
      this.#say(said);
      return;
    }
    this.#waitingRows += said.rows;
    if (this.#waiting.length < WAITING_MAX && this.#waitingRows <= WAITING_ROWS_MAX) this.#waiting.push(said);
    else this.#subscriber.close(closeCodes.slow);
  }

  onBroken(): void {
    this.#subscriber.close(closeCodes.broken);
  }

  async #catchUp(first: PastPage, past: PastPages): Promise<void> {
    for (let page: PastPage | undefined = first; page !== undefined; page = (await past.next()).value ?? undefined) {
      let rows = 0;
      for (const said of page.updates) {
        const wait = this.#waitFor(said);
        if (wait !== undefined) await wait;
        if (this.#isStopped) return;
        for (const message of said.messages()) this.#subscriber.send(message);
        rows += said.rows;
      }
      this.#seq = page.seq;
      const paid = rows > 0 ? this.#subscriber.pay(rows) : undefined;
      if (page.isLast) break;
      await paid;
      if (this.#isStopped) return;
    }
    for (let next = this.#waiting?.shift(); next !== undefined; next = this.#waiting?.shift()) {
      this.#waitingRows -= next.rows;
      const wait = this.#waitFor(next);
      if (wait !== undefined) await wait;
      if (this.#isStopped) return;
      this.#say(next);
    }
    this.#waiting = undefined;
    this.#onPastSent();
  }

  /** Until the client has read, and others have had their turn after many rows; undefined when the update may be told at once. */
  #waitFor({ rows }: PreparedUpdate): Promise<void> | undefined {
    this.#rows += rows;
    if (!this.#subscriber.isSlow() && this.#rows <= ROWS_A_TURN) return undefined;
    this.#rows = rows;
    return this.#untilRead();
  }

  async #untilRead(): Promise<void> {
    await nextTurn();
    while (this.#subscriber.isSlow() && !this.#isStopped) await sleep(CATCH_UP_MS);
  }

  #say(said: PreparedUpdate): void {
    if (said.seq <= this.#seq) return;
    if (said.seq !== this.#seq + 1) {
      this.onBroken();
      return;
    }
    this.#seq = said.seq;
    for (const message of said.messages()) this.#subscriber.send(message);
  }
}
