// The sockets that were opened with an access token. One lives as long as its session: a browser's token is over in minutes,
// and its cookie gives the next. Of a session without a cookie the token is all there is, so the socket ends with it.

import type { Logger } from '../../shared/logger.ts';
import type { TokenClaims } from '../access/accessTokens.ts';
import type { KeyRecord } from '../access/keys/keyRecord.ts';
import { createSeldomLog, type SeldomLog } from '../access/limits/seldomLog.ts';
import type { TokenOwners } from '../access/tokenOwners.ts';
import { closeCodes } from './closeCodes.ts';
import type { Session } from './session.ts';

type Watched = Pick<Session, 'key' | 'close'>;

export class TokenSockets {
  readonly #owners: Pick<TokenOwners, 'findCached' | 'lookUp' | 'outlivesToken'>;
  readonly #seldom: SeldomLog;
  readonly #tokens = new Map<Watched, TokenClaims>();
  readonly #asking = new Set<Watched>();

  constructor({ owners, log }: { owners: Pick<TokenOwners, 'findCached' | 'lookUp' | 'outlivesToken'>; log: Logger }) {
    this.#owners = owners;
    this.#seldom = createSeldomLog(log);
  }

  add(session: Watched, token: TokenClaims): void {
    this.#tokens.set(session, token);
  }

  remove(session: Watched): void {
    this.#tokens.delete(session);
  }

  has(session: Watched): boolean {
    return this.#tokens.has(session);
  }

  /** Closes those whose session is over, and gives the others what their user has now. Costs a look into a map each. */
  look(nowMs: number): void {
    for (const [session, token] of this.#tokens) {
      const known = this.#owners.findCached(token);
      if (known === undefined) this.#ask(session, token);
      else if (nowMs >= token.expiresAtMs && !this.#owners.outlivesToken(token)) session.close(closeCodes.revoked);
      else this.#judge(session, known.record);
    }
  }

  /** While the store is away sockets go on, and it is asked again. */
  #ask(session: Watched, token: TokenClaims): void {
    if (this.#asking.has(session)) return;
    this.#asking.add(session);
    this.#owners
      .lookUp(token)
      .then(
        (record) => this.#judge(session, record),
        (error: unknown) => this.#seldom.warn('tokens', { err: error }, 'sessions of sockets could not be looked up'),
      )
      .finally(() => this.#asking.delete(session));
  }

  #judge(session: Watched, record: KeyRecord | undefined): void {
    if (record === undefined) session.close(closeCodes.revoked);
    else session.key = record;
  }
}
