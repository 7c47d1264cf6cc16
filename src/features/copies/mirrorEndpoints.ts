// The mirror of an account, which follows an address of the venue: the endpoints that start, show and end it.
import { Type } from '@sinclair/typebox';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount, requireReader } from '../../api/account/owner.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { Address, type AnswerFor, exactly, IsoTime, orNull, WireDecimal, words } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { wireNumber } from '../../api/domain/wireText.ts';
import { answerJson } from '../../api/http/answers.ts';
import { recordAudit } from '../../api/http/audited.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { AddressText, compileReader, WholeNumber } from '../../api/http/requestReader.ts';
import { RequestError } from '../../shared/errors.ts';
import { addressWishOf, IMPORT_ERRORS, ScaleField } from './importAccount.ts';
import type { Mirror, Mirrors } from './mirrors.ts';

const MirrorAnswer = named(
  'Mirror',
  exactly({
    account: described(Address, 'The sub-account.'),
    address: described(Address, 'Of the venue.'),
    scale: WireDecimal,
    state: described(
      named('MirrorState', words('starting', 'following')),
      '`starting`: the account has not begun to follow; the service goes on with it by itself.',
    ),
    since: described(IsoTime, 'Fills of the address count from this time of the venue on.'),
    through: described(
      orNull(IsoTime),
      'The newest fill of the address that the account has heard of, or `since`; null while it starts.',
    ),
    connected: described(
      Type.Boolean(),
      'Whether the connection is open on which the venue tells of the address. False within MARKET_LEASE_TTL_MS after the node that has it died.',
    ),
    connected_since: described(orNull(IsoTime), 'Since when; null: it is not open.'),
    heard: described(
      orNull(IsoTime),
      'When the venue was last heard on it, up to a third of MARKET_LEASE_TTL_MS late; null: never, or more than a day ago.',
    ),
    caught_up: described(Type.Boolean(), 'What was missed before the connection opened has been made up for.'),
    copies: described(WholeNumber, 'Open orders of the address that have a copy here, or had one that is over already.'),
  }),
);

function toMirrorAnswer({ document, following, hearing }: Mirror): AnswerFor<typeof MirrorAnswer> {
  const { account, source, scale, sinceMs } = document;
  return {
    ...{ account, address: source, scale: wireNumber(scale) },
    state: following === undefined ? 'starting' : 'following',
    since: new Date(following?.sinceMs ?? sinceMs).toISOString(),
    through: following === undefined ? null : new Date(following.throughMs).toISOString(),
    connected: hearing.connectedSinceMs !== null,
    ...{ connected_since: iso(hearing.connectedSinceMs), heard: iso(hearing.heardMs), caught_up: hearing.isCaughtUp },
    copies: following?.copies ?? 0,
  };
}

const iso = (timeMs: number | null): string | null => (timeMs === null ? null : new Date(timeMs).toISOString());

const OneMirror = exactly({ message: Type.String(), mirror: MirrorAnswer });

const readMirror = compileReader(
  Type.Object(
    { address: described(AddressText, 'An address of the venue.'), scale: ScaleField },
    { expected: 'an object with address and scale', additionalProperties: false },
  ),
);

/**
 * POST /v1/exchanges/perpx/account/mirror `{address, scale?}`: an empty sub-account begins with what an address of the venue has, and follows
 * it: its orders and fills become orders here at that moment.
 */
export const startMirrorEndpoint = endpoint({
  id: 'startMirror',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/mirror',
  tag: 'Accounts',
  summary: 'An empty sub-account begins with what an address of the venue has, and follows it.',
  description:
    'It begins as with an import. Then an order that the address places rests here, one that is over there is cancelled here, and a fill of ' +
    'an order that has no copy here becomes an Ioc order at the market, at that moment and by the rules of every order. The account trades on ' +
    'as any other. Sending the request again is safe. docs/copies.md says what follows what.',
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
  asks: ['paid', 'unlimitedKey'],
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly mirrors: Mirrors }) => async (ctx) => {
    const refusal = ['mirror_refused', 'Only a sub-account can mirror an address: name one with account=.'] as const;
    const { wish, call, account, userId } = await addressWishOf(ctx, parts, readMirror, refusal);
    const mirror = await parts.mirrors.start(call, wish);
    const detail = `${mirror.document.source}, times ${mirror.document.scale}`;
    const once = mirror.document._id;
    await recordAudit(ctx, parts, { userId, account, action: 'mirror.started', outcome: 'ok', detail, once });
    answerJson(ctx, { message: 'The sub-account follows the address.', mirror: toMirrorAnswer(mirror) });
  },
});

/** DELETE /v1/exchanges/perpx/account/mirror: an account follows its address no more. Its positions and open orders stay, and are its own. */
export const stopMirrorEndpoint = endpoint({
  id: 'stopMirror',
  method: 'delete',
  path: '/v1/exchanges/:exchange/account/mirror',
  tag: 'Accounts',
  summary: 'The account follows its address no more. Positions and open orders stay.',
  query: Type.Object({ account: accountParameter }),
  answer: { about: 'Done.', schema: exactly({ message: Type.String() }) },
  errors: { ...ACCOUNT_ERRORS, 404: [...ACCOUNT_ERRORS[404], 'unknown_mirror'], 503: ['store_unavailable'] },
  credential: 'either',
  scope: 'trade',
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly mirrors: Mirrors }) => async (ctx) => {
    const { caller } = await callOfAccount(ctx, requireReader(ctx), parts.ownAccounts);
    const { accountId: account, userId } = caller;
    if (!(await parts.mirrors.stop(account))) throw new RequestError(404, 'unknown_mirror', 'The account follows no address.');
    await recordAudit(ctx, parts, { userId, account, action: 'mirror.ended', outcome: 'ok' });
    answerJson(ctx, { message: 'The account follows the address no more.' });
  },
});

/**
 * GET /v1/exchanges/perpx/account/mirror: which address an account follows, and how far it is. It only reads, so it also answers for an
 * account whose trial is over.
 */
export const showMirrorEndpoint = endpoint({
  id: 'showMirror',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/mirror',
  tag: 'Accounts',
  summary: 'Which address of the venue the account follows.',
  query: Type.Object({ account: accountParameter }),
  answer: { about: 'The mirror.', schema: exactly({ mirror: described(orNull(MirrorAnswer), 'null: it follows none.') }) },
  errors: { ...ACCOUNT_ERRORS, 503: ['store_unavailable'] },
  credential: 'either',
  scope: 'read',
  price: HEAVY,
  reachesAccount: true,
  handle:
    ({ ownAccounts, mirrors }: Pick<AuthParts, 'ownAccounts'> & { readonly mirrors: Mirrors }) =>
    async (ctx) => {
      const { caller } = await callOfAccount(ctx, requireReader(ctx), ownAccounts);
      const mirror = await mirrors.find(caller.accountId);
      answerJson(ctx, { mirror: mirror === undefined ? null : toMirrorAnswer(mirror) });
    },
});
