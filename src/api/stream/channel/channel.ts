// The shape of a channel: its subscriptions and their reader, its price and its part of the published document, and the codes that close a
// socket. To add a channel: write a file in channels/ that exports a `channel` and add a line in allChannels.ts. The session (session.ts)
// does the rest: it finds the channel by the subscription's type, tells the client that it is subscribed, refuses a second subscription of
// the same identity, and closes open subscriptions when the socket ends.
//
// The order of calls: `read` checks the client's JSON; `open` prepares and sends nothing; the session sends the
// `subscriptionResponse`; `start` sends the snapshot and lets later messages through; `close` ends the subscription.
// When the socket closes during `open`, `close` is called after it, without a `start`.
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { Call } from '../../accounts/services.ts';
import { compileReader } from '../../http/requestReader.ts';

/**
 * A client's subscription as the response repeats it: known fields as they were sent (addresses in lower case), defaults
 * added, unknown fields dropped.
 */
export interface Subscription {
  readonly type: string;
}

/** The part of a channel that needs the node. The reader of the channel comes before it. */
export interface Serving<S extends Subscription> {
  /** Its messages are the market's: a failure lab can delay or freeze them. */
  readonly isMarket?: true;
  /** @throws {RequestError} for an invalid subscription */
  readonly check?: (subscription: S) => void;
  /** @throws {RequestError} when it is not available here; the client is told that it is invalid */
  readonly open: (subscription: S, subscriber: Subscriber) => OpenSubscription | Promise<OpenSubscription>;
}

export interface Channel extends Pick<Serving<Subscription>, 'isMarket' | 'open'> {
  readonly type: string;
  /** @throws {RequestError} for an invalid subscription */
  readonly read: (sent: object) => Subscription;
}

/** A channel with the price of a subscription to it. */
export interface PricedChannel extends Channel {
  readonly weight: number;
}

export interface OpenSubscription {
  /** Of private channels: every entry after this sequence number is sent; the response names it. */
  readonly seq?: number;
  /** Called once, right after the client was told that it is subscribed. */
  start(): void;
  /** Ends the messages. Called once, also when `start` was not. */
  close(): void;
}

/** One subscription of one socket, as a channel sees it. Messages are made once (message.ts) and given to many. */
export interface Subscriber {
  /** The call of the socket's owner, for parts that answer calls: `subscriber.call().caller.accountId` is the account. */
  call(): Call;
  /** Sends a message that must not be lost. The socket of a client that does not read is closed at the bound of its buffer. */
  send(message: Buffer): void;
  /**
   * Sends a message that a newer one of this subscription replaces: for a slow client only the latest waits. A `send` replaces
   * the waiting one too.
   */
  latest(message: Buffer): void;
  /** Makes a waiting `latest` message final: it must arrive, because the next one is about something new (a new candle). */
  seal(): void;
  /**
   * Resolves when no other subscription of this socket is sending its past, with a function that ends the turn. So only one
   * past waits for a client at a time. Rejects when the subscription ends meanwhile.
   */
  waitForTurn(): Promise<() => void>;
  /** Counts rows of its past on the key of the socket. Resolves when the key has weight left for more, or the subscription is over. */
  pay(rows: number): Promise<void>;
  /** True while much is unread: a sender that can wait then waits. */
  isSlow(): boolean;
  /** Closes the socket: the messages so far are valid, and no further one can follow them. */
  close(why: CloseCode): void;
}

/** Fields that say how messages are delivered, not which: two subscriptions that differ in them alone are the same. */
const DELIVERY_FIELDS: ReadonlySet<string> = new Set(['fromSeq', 'stateHash', 'onlyChanges']);

/** The identity of a subscription within a socket: all fields that are not empty, in any order. */
export function identityOf(subscription: Subscription): string {
  const fields = Object.entries(subscription).filter(
    ([name, value]) => !DELIVERY_FIELDS.has(name) && value !== null && value !== '' && value !== false && value !== undefined,
  );
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Reads a client's subscription against the fields of its channel, with the same schemas as the bodies of requests.
 * Gives the known fields of a subscription, typed. `schema` is for the published document.
 */
export interface SubscriptionReader<S> {
  (sent: object): S;
  readonly type: string;
  readonly schema: TObject;
}

/** A subscription of a channel with these fields. */
export type SubscriptionTo<T extends string, F extends TProperties> = { readonly type: T } & Static<TObject<F>>;

/**
 * @param defaults the values of fields that the client left out
 * @param together how the fields must fit together: keywords of the schema
 * @returns a function that keeps the known fields as they were sent. It throws {RequestError} 400.
 */
export function subscriptionReader<T extends string, F extends TProperties>(
  type: T,
  fields: F,
  defaults: Partial<Static<TObject<F>>> = {},
  together: object = {},
): SubscriptionReader<SubscriptionTo<T, F>> {
  const read = compileReader(Type.Object(fields, together));
  const names = Object.keys(fields);
  const readKnown = (sent: object): SubscriptionTo<T, F> => {
    const valid = read(sent) as Readonly<Record<string, unknown>>;
    const known = names.flatMap((name) => (valid[name] === undefined ? [] : [[name, valid[name]]]));
    return { type, ...defaults, ...Object.fromEntries(known) } as SubscriptionTo<T, F>;
  };
  const whole: TProperties = { type: Type.Literal(type), ...fields };
  return Object.assign(readKnown, { type, schema: Type.Object(whole, together) });
}

/** Why this side closes a socket: the code tells a program what to do, the reason a person. */
export const closeCodes = {
  /** The node stops: connect again, another one answers. */
  goingAway: { code: 1001, reason: 'The server stops. Connect again.' },
  /** Nothing was sent for a minute. */
  idle: { code: 4000, reason: 'Nothing was sent for 60 s. Send pings.' },
  /** The API key was revoked, or the session of the access token has ended. */
  revoked: { code: 4001, reason: 'The API key, or the session, is not valid any more.' },
  /** The trial or the paid time is over. */
  expired: { code: 4003, reason: 'The trial or the subscription has ended.' },
  /** The client reads too slowly. */
  slow: { code: 4008, reason: 'The client reads too slowly.' },
  /** The account's journal cannot be followed without a hole: connect again and subscribe with `fromSeq`. */
  broken: { code: 4010, reason: 'The stream of the account is broken. Connect again with fromSeq.' },
  /** More messages than the plan includes. */
  flood: { code: 4029, reason: 'Too many messages.' },
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

// The document is made of the schema that reads the subscription and of the schemas of the `info` answers on the same subject.

export interface ChannelContract {
  readonly type: string;
  /** The schema of a whole subscription. */
  readonly subscription: TObject;
  readonly about: string;
  /** `data` of its messages, by the name of the channel that they come on. */
  readonly messages: Readonly<Record<string, TSchema>>;
  /** Of a private channel: some messages are about no journal entry and have no `seq`. */
  readonly hasMessagesWithoutSeq?: true;
  /** A subscription, as a client may send it. */
  readonly example: object;
}

/** `Parts` is what the channel needs of the node. */
export interface ChannelEntry<Parts> extends ChannelContract {
  /**
   * What a subscription costs: the weight of the `info` question whose answer it begins with. Each subscription pays it, so that
   * leaving and subscribing again is no cheaper than asking again. Refresh intervals bound the states that come afterwards; the
   * account's own acts bound its events.
   */
  readonly weight: number;
  readonly create: (parts: Parts) => Channel;
}

/** A channel's own part of its entry. */
interface ChannelDetails<S extends Subscription, Parts>
  extends Omit<ChannelEntry<Parts>, 'type' | 'subscription' | 'example' | 'create'> {
  /** Fields of a subscription beside `type`. */
  readonly example?: object;
  readonly serve: (parts: Parts) => Serving<S>;
}

/** @param reader the reader of its subscriptions */
export function channel<S extends Subscription, Parts>(
  reader: SubscriptionReader<S>,
  { serve, ...own }: ChannelDetails<S, Parts>,
): ChannelEntry<Parts> {
  const { type, schema } = reader;
  const create = (parts: Parts): Channel => {
    const { check, open, ...serving } = serve(parts);
    const read = (sent: object): S => {
      const subscription = reader(sent);
      check?.(subscription);
      return subscription;
    };
    return { type, read, open: (subscription, subscriber) => open(subscription as S, subscriber), ...serving };
  };
  return { type, subscription: schema, ...own, example: { type, ...own.example }, create };
}
