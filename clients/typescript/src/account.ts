// The user, its API keys, and the account as a whole.
import { answered, ON_EXCHANGE, type Operations, repeatable, type Shape } from './calls.js';

/** Repeating a call with the same key does nothing more and answers the same. */
export interface Repeatable {
  readonly idempotencyKey?: string;
}

/** Which account is meant: the master account or a sub-account, by its address; without it the key's own. */
export interface OfAccount {
  readonly account?: string;
}

/** Keys and the profile need an access token; the account itself takes an API key, too. */
export class Account {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** The user behind the access token: plan, trial, address. */
  profile(): Promise<Shape<'Profile'>> {
    return answered(this.#operations.GET('/v1/auth/me'));
  }

  /** The active API keys, without the keys themselves. */
  async keys(): Promise<Shape<'ApiKey'>[]> {
    return (await answered(this.#operations.GET('/v1/auth/api-keys'))).api_keys;
  }

  /** Makes an API key, which is shown this once (`api_key`). */
  createKey(body: Shape<'CreateApiKeyRequest'>, { idempotencyKey }: Repeatable = {}): Promise<Shape<'NewApiKey'>> {
    const params = { header: repeatable(idempotencyKey) };
    return answered(this.#operations.POST('/v1/auth/api-keys', { body, params }));
  }

  /** Ends an API key, and the sockets that it has opened. */
  async revokeKey(id: string): Promise<void> {
    await answered(this.#operations.DELETE('/v1/auth/api-keys/{id}', { params: { path: { id } } }));
  }

  /** Ends everything open, deletes the history and begins anew; a sub-account with nothing. */
  reset({ idempotencyKey, account }: Repeatable & OfAccount = {}): Promise<Shape<'Balance'>> {
    const params = { path: ON_EXCHANGE, query: queryOf(account), header: repeatable(idempotencyKey) };
    return answered(this.#operations.POST('/v1/exchanges/{exchange}/account/reset', { params }));
  }

  /** Cash becomes exactly that, while nothing is open. */
  setBalance(
    body: Shape<'SetBalanceRequest'>,
    { idempotencyKey, account }: Repeatable & OfAccount = {},
  ): Promise<Shape<'Balance'>> {
    const params = { path: ON_EXCHANGE, query: queryOf(account), header: repeatable(idempotencyKey) };
    return answered(this.#operations.POST('/v1/exchanges/{exchange}/account/set-balance', { body, params }));
  }

  /** Makes a sub-account that begins with the state of an entry of the account. The same call again answers the same fork. */
  fork(body: Shape<'ForkAccountRequest'>, { account }: OfAccount = {}): Promise<Shape<'Fork'>> {
    const params = { path: ON_EXCHANGE, query: queryOf(account) };
    return answered(this.#operations.POST('/v1/exchanges/{exchange}/account/fork', { body, params }));
  }

  /** A master account worth less than 100 USD gets the balance of its plan again. */
  topUp({ idempotencyKey }: Repeatable = {}): Promise<Shape<'Balance'>> {
    return answered(this.#operations.POST('/v1/auth/account/reset', { params: { header: repeatable(idempotencyKey) } }));
  }
}

const queryOf = (account: string | undefined): OfAccount => (account === undefined ? {} : { account });
