// The parts and the caller that an endpoint gets: who asks, which request it is, and the services that can answer. An
// HTTP body and a WebSocket post reach `answerInfo` and `runAction` through the same two types.
import type { AccountQuery, ForkOrigin, OwnersCommand } from '../../actors/core/messages/command.ts';
import type { LabNote } from '../../actors/core/messages/labNote.ts';
import type { AnswerOf, Outcome } from '../../actors/core/messages/queryAnswer.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config/config.ts';
import type { LabProfile } from '../../shared/domain/labProfile.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Span } from '../../shared/tracing/tracing.ts';
import type { Upstream } from '../../shared/venue/upstream.ts';
import type { CandleStore } from '../../shared/venue/venueAnswers.ts';
import { type Caller, isSubAccount } from '../access/keyRecord.ts';
import type { LimitUsage } from '../access/limits/charge.ts';
import type { AccountGateway, Answered, SendOptions } from './accountGateway.ts';
import type { ExcursionStore } from './excursionStore.ts';
import type { HistoryReader } from './historyReader.ts';
import type { Past } from './historySources.ts';
import type { MinuteCandles } from './minuteCandles.ts';

/** With what the call asks its account. */
export const sendOptionsOf = ({ caller, requestId, trace }: Call): SendOptions => ({
  requestId,
  user: caller.userId,
  trace,
  ...(isSubAccount(caller) && { opensEmpty: true }),
  ...(caller.guard && { key: caller.guard }),
});

/** Whose past a call reads. */
export const pastOf = (call: Call): Past => ({ ...sendOptionsOf(call), accountId: call.caller.accountId });

/** One request on `info` or `exchange`. */
export interface Call {
  readonly caller: Caller;
  readonly requestId: string;
  /** Where the call is traced. */
  readonly trace?: Span | undefined;
  readonly receivedAtMs: number;
  /** The client's `Idempotency-Key`, with the SHA-256 (hex) of the body it came with. */
  readonly idempotencyKey?: string;
  readonly bodyDigest?: string;
  /** What the failure lab of the key has drawn for it. */
  readonly lab?: LabCall;
}

/** The account's history, as far as endpoints read it. */
export type AccountHistory = Pick<HistoryReader, 'latest' | 'between' | 'page' | 'findOrder' | 'findFill'>;

/** A sub-account as its master knows it. */
export interface ListedSubAccount {
  /** From 1 on, in the order in which they were made. */
  readonly number: number;
  readonly address: string;
  readonly name: string;
  /** Of one that began as a fork. */
  readonly fork?: ForkOrigin | undefined;
}

/** The accounts that the user of a call has. What is asked for them is no part of what the call reads. */
export interface OwnAccounts {
  /**
   * The account that the address names: the user's master or one of its sub-accounts that exist; without an address, and for a key
   * that is bound to an account, the caller's own. A promise only where the master has to be asked.
   * @returns undefined for any other address
   * @throws {RequestError} as the gateway does
   */
  named(call: Call, address: string | null | undefined): Caller | undefined | Promise<Caller | undefined>;
  /** The call as one of that account; of the caller's own for an address that is none of the user's. */
  shown<C extends Call>(call: C, address: string | null | undefined): C | Promise<C>;
  /** Whether the address is, or may once be, of an account of the user: asks nobody. */
  isOwn(caller: Caller, address: string): boolean;
  /** The user's sub-accounts, in the order of their numbers. */
  list(call: Call): Promise<readonly ListedSubAccount[]>;
  /**
   * Makes room for one more, before it is made.
   * @returns how many the plan allows
   * @throws {RequestError} 401 when the user is gone, 503 when MongoDB is away
   */
  makeRoom(caller: Caller): Promise<number>;
}

/** The market as it was. */
export interface PastMarket {
  readonly market: LiveMarket;
  /** When it was so, exchange time, ms. */
  readonly asOfMs: number;
}

/** What a call meets whose key has a failure lab. */
interface LabCall {
  /** Over a WebSocket. */
  readonly isAnsweredTwice: boolean;
  /** The market as the call sees it, where that is another one. */
  readonly seen: PastMarket | undefined;
  /** Uses up the nonce of an action, where the profile is strict about them. @returns the venue's refusal of it */
  readonly useNonce: ((nonce: unknown) => Promise<string | undefined>) | undefined;
  /**
   * Sends the command of an action with what is scripted or drawn for it.
   * @throws {RequestError} as the gateway does, and 504 for an action whose outcome cannot be told at its time
   */
  readonly send: (call: Call, command: OwnersCommand, options: SendOptions) => Promise<Outcome>;
}

/** The end of the client's connection: nothing is held for a client that is gone. */
export interface ClientConnection {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface UnderLab {
  readonly profile: LabProfile;
  readonly on: LabNote['on'];
  readonly closing: ClientConnection;
}

/** Runs requests of keys that have a failure lab. */
export interface FailureLab {
  /** @throws what the lab has drawn, and what `answer` throws */
  run<T>(call: Call, under: UnderLab, answer: (call: Call) => Promise<T>): Promise<T>;
}

/** The parts an endpoint may use. */
export interface Services {
  readonly gateway: AccountGateway;
  readonly history: AccountHistory;
  readonly market: LiveMarket;
  /** When the market was so, ms: absent where it is that of now. */
  readonly asOfMs?: number;
  readonly upstream: Pick<Upstream, 'info'>;
  /** Where candles come from before the venue is asked: no store where its market has no name. */
  readonly candles: { readonly store?: CandleStore | undefined; readonly minutes: MinuteCandles };
  /** Excursions of round trips that were worked out; absent: none are kept. */
  readonly excursions?: Pick<ExcursionStore, 'read' | 'keep'>;
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly limits: { usage(call: Call): LimitUsage };
  readonly ownAccounts: OwnAccounts;
  readonly lab: FailureLab;
}

/** The services as a call sees them: with the market of then where the failure lab of its key delays or freezes the feed. */
export const asSeen = <S extends Services>({ lab }: Pick<Call, 'lab'>, services: S): S =>
  lab?.seen === undefined ? services : { ...services, market: lab.seen.market, asOfMs: lab.seen.asOfMs };

interface Asked {
  readonly gateway: Pick<AccountGateway, 'ask'>;
}

/**
 * Asks a question about the live state of the caller's account. A client always reads its own writes.
 * @throws {RequestError} as the gateway does when the account cannot answer in time
 */
export const askAccount = async <K extends AccountQuery['kind']>(
  call: Call,
  services: Asked,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<AnswerOf<K>> => (await askWithSeq(call, services, query)).answer;

/** The answer, with the number of the account's newest entry in it. @throws {RequestError} as `askAccount` */
export const askWithSeq = <K extends AccountQuery['kind']>(
  call: Call,
  { gateway }: Asked,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<Answered<K>> => gateway.ask(call.caller.accountId, query, sendOptionsOf(call));
