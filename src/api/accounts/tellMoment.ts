// Says in a header of which state of the account an answer is.
import type { Context } from 'koa';
import type { Moment } from './accountAnswers.ts';

/**
 * `X-Account-Seq`: the account's newest entry that the answer surely shows. An answer that took several questions may show
 * later ones in part. Absent where no account was asked.
 */
export function tellMoment(ctx: Pick<Context, 'res'>, { seq }: Moment): void {
  if (seq > 0) ctx.res.setHeader('X-Account-Seq', seq);
}
