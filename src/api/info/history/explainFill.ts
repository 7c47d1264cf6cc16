// `explainFill`: why a fill of the account was possible. A type of this exchange, not of the venue.

import { Type } from '@sinclair/typebox';
import { explainedFillFields, toExplainedFill } from '../../account/fillEvidence.ts';
import { pastOf } from '../../accounts/services.ts';
import { exactly } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { WholeNumber } from '../../http/requestReader.ts';
import { accountType, askedUser } from '../infoType.ts';

const CONTRACT = {
  about: 'Why a fill of the account could happen: what the market showed, in words and in numbers.',
  price: HEAVY_QUESTION,
  fields: { tid: described(WholeNumber, 'Id of the fill.') },
  answers: Type.Union([
    named('UnknownFill', exactly({ status: Type.Literal('unknownTid') })),
    named('FoundFill', exactly({ status: Type.Literal('fill'), ...explainedFillFields })),
  ]),
  example: { tid: 16_000_019 },
};

export const explainFill = accountType('explainFill', CONTRACT, async (request, call, services) => {
  const fill = await services.history.findFill(pastOf(call), request.tid);
  return fill === undefined
    ? { status: 'unknownTid' as const }
    : { status: 'fill' as const, ...toExplainedFill(fill, askedUser(request, call)) };
});
