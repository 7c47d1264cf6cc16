// The rule by which an access token is in force, for what is cached of its owner and for documents just read alike.
import type { TokenClaims } from '../accessTokens.ts';

export interface TokenOwnerState {
  /** Tokens and sessions of an earlier generation have ended. */
  readonly generation: number;
  /** The one token that lives on when the generation rises; its session is taken along a moment later. */
  readonly keptTokenId: string | undefined;
  /** Tokens that were ended one by one. */
  readonly loggedOut: ReadonlySet<string>;
}

/** @param session the one that the token names; undefined when it has ended or the token names none */
export function isTokenInForce(
  { id, generation, sessionId }: TokenClaims,
  owner: TokenOwnerState,
  session: { readonly generation: number } | undefined,
): boolean {
  if (owner.loggedOut.has(id)) return false;
  if (id === owner.keptTokenId && generation <= owner.generation) return sessionId === undefined || session !== undefined;
  if (sessionId === undefined) return generation === owner.generation;
  // A session is taken along to later generations, with the tokens that it has given.
  return session !== undefined && session.generation === owner.generation && generation <= session.generation;
}
