// POST /v1/exchanges/perpx/account/mirror `{address, scale?}`: an empty sub-account begins with what an address of the venue has, and follows it:
// its orders and fills become orders here at that moment.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { accountParameter, paidOwnerOf, requireUnlimited } from '../account/owner.ts';
import { isSubAccount } from '../accounts/services.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';
import { described } from '../contract/described.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { AddressText, compileReader } from '../http/requestReader.ts';
import { IMPORT_ERRORS } from '../import/importErrors.ts';
import { ScaleField, toScale } from '../import/scaleField.ts';
import { OneMirror, toMirrorAnswer } from './mirrorFields.ts';
import type { Mirrors } from './mirrors.ts';

const readMirror = compileReader(
  Type.Object(
    { address: described(AddressText, 'An address of the venue.'), scale: ScaleField },
    { expected: 'an object with address and scale', additionalProperties: false },
  ),
);

export const startMirrorEndpoint = endpoint({
  id: 'startMirror',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/mirror',
  tag: 'Accounts',
  summary: 'An empty sub-account begins with what an address of the venue has, and follows it.',
  description:
    'It begins as with an import. Then an order that the address places rests here, one that is over there is cancelled here, and a fill of ' +
    'an order that has no copy here becomes an Ioc order at the market, at that moment and by the rules of every order. The account trades on ' +
    'as any other. Sending the request again is safe. docs/import.md says what follows what.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: readMirror.schema, examples: { tenth: { address: `0x${'ab'.repeat(20)}`, scale: '0.1' } } },
  answer: { about: 'The mirror.', schema: OneMirror },
  errors: {
    ...IMPORT_ERRORS,
    400: [...IMPORT_ERRORS[400], 'mirror_refused'],
    409: [...IMPORT_ERRORS[409], 'mirror_exists', 'mirror_limit'],
  },
  credential: 'either',
  scope: 'trade',
  price: HEAVY,
  isForPayers: true,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly mirrors: Mirrors }) => async (ctx) => {
    const { user, call } = await paidOwnerOf(ctx, parts);
    const { address, scale: scaleText } = readMirror(await parts.readBody(ctx));
    const scale = toScale(scaleText);
    requireUnlimited(call.caller, 'address');
    if (!isSubAccount(call.caller))
      throw new RequestError(400, 'mirror_refused', 'Only a sub-account can mirror an address: name one with account=.');
    const { accountId: account } = call.caller;
    const mirror = await parts.mirrors.start(call, { source: address.toLowerCase(), scale });
    const detail = `${mirror.document.source}, times ${mirror.document.scale}`;
    const once = mirror.document._id;
    await recordAudit(ctx, parts, { userId: user._id, account, action: 'mirror.started', outcome: 'ok', detail, once });
    answerJson(ctx, { message: 'The sub-account follows the address.', mirror: toMirrorAnswer(mirror) });
  },
});
