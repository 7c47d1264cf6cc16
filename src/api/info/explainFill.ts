// `explainFill`: why a fill of the account could happen. A type of this exchange, not of the venue.
import { WholeNumber } from '../requestReader.ts';
import { toExplainedFill } from './fillEvidence.ts';
import { accountType, askedUser } from './infoType.ts';

export const explainFill = accountType('explainFill', { tid: WholeNumber }, async (request, call, services) => {
  const fill = await services.history.findFill(call.caller.accountId, request.tid);
  return fill === undefined ? { status: 'unknownTid' } : { status: 'fill', ...toExplainedFill(fill, askedUser(request, call)) };
});
