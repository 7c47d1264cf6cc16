// Says in a header of which state of the account an answer is.
import type { RouteContext } from '../access/requestContext.ts';
import type { Moment } from './accountAnswers.ts';

/**
 * `X-Account-Seq`: the account's newest entry that the answer surely shows. An answer that took several questions may show
 * later ones in part. Absent where no account was asked.
 */
export function tellMoment({ state }: Pick<RouteContext, 'state'>, { seq }: Moment): void {
  if (seq > 0) state.headers = [...(state.headers ?? []), 'X-Account-Seq', String(seq)];
}
