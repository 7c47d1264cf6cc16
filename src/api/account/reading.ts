// The shape of an endpoint that reads one account, with an access token or an API key. It only reads, so it also answers for an account
// whose trial is over.
import { type TSchema, Type } from '@sinclair/typebox';
import { ReadingTurns } from '../access/limits/readingTurns.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { type AccountAnswers, tellMoment } from '../accounts/accountAnswers.ts';
import type { AccountGateway } from '../accounts/accountGateway.ts';
import { type Call, type Services, sendOptionsOf } from '../accounts/services.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint, type MountedEndpoint } from '../http/endpoint.ts';
import { listParameters } from '../http/listQuery.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount, requireReader } from './owner.ts';

/** Reads of a whole history take seconds, in pieces: two at once keep a node's time for trading. */
const HISTORY_TURNS = { atOnce: 2, atOnceOfUser: 1, waiting: 64, waitingOfUser: 4 };
/** A page of a list reads 8,192 rows at most. */
const LIST_TURNS = { atOnce: 8, atOnceOfUser: 2, waiting: 256, waitingOfUser: 8 };

/** What a read throws when it has to wait for too many others. */
export const TOO_MANY = { 429: ['too_many_reads'], 503: ['busy'] };

/** Who may read an account when: all endpoints of a node share the turns. */
export class AccountReads {
  readonly lists = new ReadingTurns(LIST_TURNS);
  readonly histories = new ReadingTurns(HISTORY_TURNS);
  readonly #kept: KeptReads;

  constructor(now: () => number) {
    this.#kept = new KeptReads(now);
  }

  /** @param name of the answer: it is kept for a moment */
  history<Answer>({ gateway }: Services, call: Call, name: string, read: () => Promise<Answer>): Promise<Answer> {
    return this.#kept.read(gateway, call, name, () => this.histories.run(call.caller.userId, read));
  }

  list<Answer>(call: Call, read: () => Promise<Answer>): Promise<Answer> {
    return this.lists.run(call.caller.userId, read);
  }
}

export const LIST = Type.Object(listParameters);
export const pageOf = (schema: TSchema): Endpoint['answer'] => ({ about: 'A page, newest first.', schema });
export const BAD_PAGE = { 400: ['invalid_request', 'contradiction', 'invalid_cursor'], ...TOO_MANY };

export interface ReadingParts {
  readonly services: Services;
  readonly answers: Pick<AccountAnswers, 'read'>;
  readonly reads: AccountReads;
}

/** An endpoint's own part. */
interface Reading<Answer> extends Pick<Endpoint, 'id' | 'summary' | 'description' | 'query' | 'answer' | 'errors'> {
  /** What it reads below `…/account/`. */
  readonly name: string;
  readonly read: (reading: Services, call: Call, asked: { ctx: RouteContext; reads: AccountReads }) => Promise<Answer>;
  /** Absent: the answer is JSON. */
  readonly write?: (ctx: RouteContext, answer: Answer) => void;
}

export function reading<Answer>({ name, read, write = answerJson, ...own }: Reading<Answer>): MountedEndpoint<ReadingParts> {
  return endpoint({
    ...own,
    query: Type.Object({ ...own.query?.properties, account: accountParameter }),
    errors: { ...own.errors, ...ACCOUNT_ERRORS, 400: [...(own.errors?.[400] ?? []), ...ACCOUNT_ERRORS[400]] },
    method: 'get',
    path: `/v1/exchanges/:exchange/account/${name}`,
    tag: 'Dashboard',
    credential: 'either',
    scope: 'read',
    price: HEAVY,
    reachesAccount: true,
    handle:
      ({ services, answers, reads }: ReadingParts) =>
      async (ctx) => {
        tellSource(ctx, services);
        const call = await callOfAccount(ctx, requireReader(ctx), services.ownAccounts);
        const { data, first } = await answers.read((seen) => read(seen, call, { ctx, reads }), { withHash: false });
        tellMoment(ctx, first);
        write(ctx, data);
      },
  });
}

/** Where prices come from. */
export function tellSource({ res }: RouteContext, { market, config }: Services): void {
  res.setHeader('X-Market-Source', market.status?.source ?? config.MARKET_SOURCE);
}

/** How old an answer may be, ms. */
const KEPT_MS = 5000;
/** Answers that are kept, some 200 kB at most each. */
const ANSWERS_MAX = 200;

interface Kept {
  /** Number of the account's newest entry, and the name of its state. */
  readonly state: string;
  readonly untilMs: number;
  readonly answer: Promise<unknown>;
}

/**
 * Answers of long reads. Asking twice costs once as long as the account has no new entry: its newest entry is asked for
 * first, so a client reads its own writes, and its state by name: where Redis has lost its last moments numbers come again
 * with other entries. Marks move without an entry; what they change may be some seconds old.
 */
export class KeptReads {
  readonly #now: () => number;
  /** By account and name, oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * @param name what is read, with all that the answer depends on beside the account
   * @throws as the gateway does, and whatever `read` throws
   */
  async read<Answer>(
    gateway: Pick<AccountGateway, 'ask'>,
    call: Call,
    name: string,
    read: () => Promise<Answer>,
  ): Promise<Answer> {
    const { accountId } = call.caller;
    const options = { ...sendOptionsOf(call), withHash: true } as const;
    const { seq, stateHash } = await gateway.ask(accountId, { kind: 'summary' }, options);
    const state = `${seq} ${stateHash}`;
    const key = `${accountId} ${name}`;
    const known = this.#kept.get(key);
    if (known !== undefined && known.state === state && this.#now() < known.untilMs) return known.answer as Promise<Answer>;
    const answer = read();
    this.#keep(key, { state, untilMs: this.#now() + KEPT_MS, answer });
    return answer;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= ANSWERS_MAX) this.#kept.delete(oldest);
    this.#kept.set(key, kept);
    kept.answer.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
  }
}
