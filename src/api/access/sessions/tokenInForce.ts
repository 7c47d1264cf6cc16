// The rule by which an access token is in force, for what is cached of its owner and for documents just read alike.
import type { TokenClaims } from '../accessTokens.ts';

export interface TokenOwnerState {
  /** Tokens and sessions of an earlier generation have ended. */
  readonly generation: number;
  /** The one token that lives on when the generation rises; its session is taken along a moment later. */
  readonly keptTokenId: string | undefined;
}

/** @param session the one that the token names; undefined when it has ended */
export function isTokenInForce(
  { id, generation }: Pick<TokenClaims, 'id' | 'generation'>,
  owner: TokenOwnerState,
  session: { readonly generation: number } | undefined,
): boolean {
  if (session === undefined) return false;
  if (id === owner.keptTokenId && generation <= owner.generation) return true;
  // A session is taken along to later generations, with the tokens that it has given.
  return session.generation === owner.generation && generation <= session.generation;
}
