// Account, billing, dashboard and explanations of a Paper perps exchange. Orders are placed with the venue's own clients; this
// package has what those clients do not know.
import createClient from 'openapi-fetch';
import { Account } from './account.js';
import { Billing } from './billing.js';
import { answered, type Operations, repeatable, type Shape } from './calls.js';
import { Dashboard } from './dashboard.js';
import { UnknownIdError } from './errors.js';
import { retrying } from './retrying.js';
import type { paths } from './schema.js';

export type { Account, Repeatable } from './account.js';
export type { Billing } from './billing.js';
export type { Operations, Shape } from './calls.js';
export type { Dashboard } from './dashboard.js';
export { IncompleteExportError, ServiceError, UnknownIdError } from './errors.js';
export type { ExportEnd, ExportKind, ExportOptions } from './exports.js';

/** How to connect. */
export interface Options {
  /** Reads the dashboard, explains, resets the account. Taken from the address where it is there. */
  readonly apiKey?: string;
  /** From `register` or `login`; for keys, sessions and billing. */
  readonly accessToken?: string;
  /** How often a request is sent where repeating is safe (3). */
  readonly attempts?: number;
  /** Milliseconds that a repetition waits at most (30,000). */
  readonly longestWaitMs?: number;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
}

interface OfAccount {
  readonly account?: string;
}

type Explained = Shape<'FoundFill'> | Shape<'UnknownFill'> | Shape<'ExplainedOrder'> | Shape<'UnknownOrder'>;

/** An account of a Paper perps exchange. */
export class PaperPerps {
  readonly account: Account;
  readonly billing: Billing;
  readonly dashboard: Dashboard;
  /** All operations of the contract by their paths, typed, with the same retries and errors. */
  readonly operations: Operations;
  readonly #send: (request: Request) => Promise<Response>;
  readonly #infoUrl: string;
  readonly #headers: Record<string, string> = {};

  /**
   * @param url where the exchange is: `https://paper.example.com`, or the address that a bot uses, with or without the key in
   *   it (`…/v1/exchanges/perpx/key/<key>`)
   */
  constructor(url: string, { apiKey, accessToken, attempts = 3, longestWaitMs = 30_000, fetch: send = fetch }: Options = {}) {
    const [, origin = '', keyOfUrl] = /^(.+?)(?:\/v1\/exchanges\/perpx(?:\/key\/([^/]+))?)?\/*$/.exec(url) ?? [];
    if (!URL.canParse(origin)) throw new TypeError(`Not an address of an exchange: ${url}`);
    const key = apiKey ?? keyOfUrl;
    if (key !== undefined) this.#headers['x-api-key'] = key;
    if (accessToken !== undefined) this.#take(accessToken);
    this.#send = retrying(send, { attempts, longestWaitMs });
    this.#infoUrl = `${origin}/v1/exchanges/perpx/info`;
    this.operations = createClient<paths>({ baseUrl: origin, fetch: (request) => this.#send(this.#withCredentials(request)) });
    this.account = new Account(this.operations);
    this.billing = new Billing(this.operations);
    this.dashboard = new Dashboard(this.operations, (path) => this.#send(this.#withCredentials(new Request(`${origin}${path}`))));
  }

  /** Makes a user with an account, and uses its access token from now on. @returns the token */
  async register(email: string, password: string): Promise<string> {
    const params = { header: repeatable(undefined) };
    const made = await answered(this.operations.POST('/v1/auth/register', { body: { email, password }, params }));
    return this.#take(made.access_token);
  }

  /** Gets an access token for a password, and uses it from now on. @param code of the authenticator @returns the token */
  async login(email: string, password: string, code?: string): Promise<string> {
    const body = { email, password, ...(code === undefined ? {} : { code }) };
    return this.#take((await answered(this.operations.POST('/v1/auth/login', { body }))).access_token);
  }

  /**
   * The reason for a fill: the market of that moment, in words (`evidence.text`) and in numbers.
   * @param options.account address of one of the user's accounts; absent = the account of the key
   * @throws {UnknownIdError} when the account has no such fill
   */
  async explainFill(tid: number, { account }: OfAccount = {}): Promise<Shape<'FoundFill'>> {
    const answer = await this.#ask({ type: 'explainFill', tid, user: account });
    if (answer.status !== 'fill') throw new UnknownIdError(`The account has no fill ${tid}.`);
    return answer;
  }

  /**
   * The outcome of an order, the evidence of each of its fills, and the reason why it is still open.
   * @param oid the exchange's id, or the client's own (`0x…`)
   * @param options.account address of one of the user's accounts; absent = the account of the key
   * @throws {UnknownIdError} when the account has no such order
   */
  async explainOrder(oid: number | string, { account }: OfAccount = {}): Promise<Shape<'ExplainedOrder'>> {
    const answer = await this.#ask({ type: 'explainOrder', oid, user: account });
    if (answer.status !== 'order') throw new UnknownIdError(`The account has no order ${oid}.`);
    return answer;
  }

  async #ask(question: object): Promise<Explained> {
    const headers = { 'content-type': 'application/json' };
    const request = new Request(this.#infoUrl, { method: 'POST', headers, body: JSON.stringify(question) });
    return (await (await this.#send(this.#withCredentials(request))).json()) as Explained;
  }

  #withCredentials(request: Request): Request {
    for (const [name, value] of Object.entries(this.#headers)) request.headers.set(name, value);
    return request;
  }

  #take(accessToken: string): string {
    this.#headers['authorization'] = `Bearer ${accessToken}`;
    return accessToken;
  }
}
