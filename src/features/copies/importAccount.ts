// POST /v1/exchanges/perpx/account/import `{address, scale?, dryRun?}`: an empty sub-account begins with what an address of the venue has.

import { Type } from '@sinclair/typebox';
import { LEFT_REASONS } from '../../actors/core/messages/importReport.ts';
import { isSubAccount } from '../../api/access/keyRecord.ts';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { ACCOUNT_ERRORS, accountParameter, paidOwnerOf, requireUnlimited } from '../../api/account/owner.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { Address, exactly, IsoTime, MarginMode, orNull, WireDecimal, words } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { decimalText } from '../../api/contract/requestValues.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { wireNumber } from '../../api/domain/wireText.ts';
import { answerJson } from '../../api/http/answers.ts';
import { recordAudit } from '../../api/http/audited.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { AddressText, compileReader, WholeNumber } from '../../api/http/requestReader.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Imports, MadeImport } from './imports.ts';

/** The codes by which an import is refused, and so a mirror, which begins with one. */
export const IMPORT_ERRORS = {
  ...ACCOUNT_ERRORS,
  400: [...ACCOUNT_ERRORS[400], 'import_refused', 'seq_forgotten', 'upstream_refused'],
  409: ['account_not_empty'],
  429: ['too_many_reads', 'upstream_limited'],
  502: ['upstream_unreadable'],
  503: ['busy', 'store_unavailable', 'upstream_busy', 'upstream_unavailable'],
} as const;

/** The field `scale` of requests that take over an address: what its sizes and money are multiplied by. */
export const ScaleField = Type.Optional({
  ...decimalText({ to: 3, decimals: 8 }, 'a decimal string above 0 and up to 1000'),
  description: 'Sizes and money are multiplied by it: above 0, up to 1000, at most 8 decimals. Absent: 1.',
  examples: ['0.01'],
});

interface AddressBody {
  readonly address: string;
  readonly scale?: string;
}

/**
 * The paid owner of a sub-account, with the wish that the account begins with an address: the address in lower case, the scale in its
 * shortest form.
 * @param refusal of an account that is no sub-account
 * @throws {RequestError} as `paidOwnerOf`, and 403 for a key with limits of trading
 */
export async function addressWishOf<Body extends AddressBody>(
  ctx: RouteContext,
  parts: AuthParts,
  read: (body: unknown) => Body,
  refusal: readonly [code: string, text: string],
) {
  const { user, call } = await paidOwnerOf(ctx, parts);
  const { address, scale = '1', ...more } = read(await parts.readBody(ctx));
  requireUnlimited(call.caller, 'address');
  if (!isSubAccount(call.caller)) throw new RequestError(400, ...refusal);
  const wish = { source: address.toLowerCase(), scale: new Decimal(scale).toFixed() };
  return { wish, more, call, account: call.caller.accountId, userId: user._id };
}

const readImport = compileReader(
  Type.Object(
    {
      address: described(AddressText, 'An address of the venue.'),
      scale: ScaleField,
      dryRun: Type.Optional(Type.Boolean({ expected: 'a boolean', description: 'The answer is the same, and nothing is done.' })),
    },
    { expected: 'an object with address, scale and dryRun', additionalProperties: false },
  ),
);

const Import = named(
  'Import',
  exactly({
    message: Type.String(),
    account: described(Address, 'The sub-account.'),
    address: described(Address, 'Of the venue.'),
    scale: WireDecimal,
    dry_run: Type.Boolean(),
    seq: described(orNull(WholeNumber), 'The entry of the journal that has it; null after a dry run.'),
    taken_at: described(IsoTime, 'The venue’s time of the positions.'),
    account_value: described(WireDecimal, 'Of the address, times the scale.'),
    balance: described(
      WireDecimal,
      'That the account begins with: its account value less unrealized PnL. It counts as its deposit.',
    ),
    positions: Type.Array(
      named(
        'ImportedPosition',
        exactly({
          coin: Type.String(),
          size: described(WireDecimal, 'Coins, long > 0: scaled, cut toward zero to whole lots.'),
          entry_price: WireDecimal,
          leverage: WholeNumber,
          margin_mode: MarginMode,
        }),
      ),
    ),
    orders: Type.Array(
      named(
        'ImportedOrder',
        exactly({ oid: described(orNull(WholeNumber), 'Its number here; null after a dry run.'), source_oid: WholeNumber }),
      ),
    ),
    left: described(
      Type.Array(
        named(
          'LeftOut',
          exactly({
            kind: named('LeftOutKind', words('balance', 'position', 'leverage', 'order')),
            coin: Type.String(),
            source_oid: described(orNull(WholeNumber), 'Of an order.'),
            reason: named('LeftOutReason', words(...LEFT_REASONS)),
            text: Type.String(),
          }),
        ),
      ),
      'What was not taken, each with the reason.',
    ),
  }),
);

export const importAccountEndpoint = endpoint({
  id: 'importAccount',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/import',
  tag: 'Accounts',
  summary: 'Begins an empty sub-account with what an address of the venue has.',
  description:
    'Positions at their entry prices, leverage, open orders, and a balance that makes the account value that of the address times the ' +
    'scale: virtual money, which answers about all accounts show apart. Sending the request again is safe: it is answered by the import ' +
    'that there is. docs/copies.md says what is taken.',
  query: Type.Object({ account: accountParameter }),
  body: {
    schema: readImport.schema,
    examples: { tenth: { address: `0x${'ab'.repeat(20)}`, scale: '0.1', dryRun: true } },
  },
  answer: { about: 'What was taken, and what not.', schema: Import },
  errors: IMPORT_ERRORS,
  credential: 'either',
  scope: 'trade',
  asks: ['paid', 'unlimitedKey'],
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly imports: Imports }) => async (ctx) => {
    const refusal = ['import_refused', 'Only an empty sub-account can begin with an address: name one with account=.'] as const;
    const { wish, more, call, account, userId } = await addressWishOf(ctx, parts, readImport, refusal);
    const { dryRun: isDryRun = false } = more;
    const made = await parts.imports.make(call, { ...wish, isDryRun });
    const detail = `${made.report.source}, times ${made.report.scale}`;
    if (!isDryRun) await recordAudit(ctx, parts, { userId, account, action: 'account.imported', outcome: 'ok', detail });
    answerJson(ctx, toAnswer(made, account));
  },
});

function toAnswer({ report, seq }: MadeImport, account: string) {
  const isDryRun = seq === undefined;
  const { source, scale, takenAtMs, accountValue, usd, positions, orders, left } = report;
  return {
    message: isDryRun ? 'The sub-account would begin with this.' : 'The sub-account begins with what the address has.',
    ...{ account, address: source, scale: wireNumber(scale), dry_run: isDryRun, seq: seq ?? null },
    taken_at: new Date(takenAtMs).toISOString(),
    account_value: toWire(new Decimal(accountValue).times(scale)),
    balance: wireNumber(usd),
    positions: positions.map(({ coin, signedSize, entryPrice, leverage, marginMode }) => ({
      ...{ coin, size: wireNumber(signedSize), entry_price: wireNumber(entryPrice), leverage, margin_mode: marginMode },
    })),
    orders: orders.map(([oid, source_oid]) => ({ oid: isDryRun ? null : oid, source_oid })),
    left: left.map(({ kind, coin, oid, reason, text }) => ({ kind, coin, source_oid: oid ?? null, reason, text })),
  };
}
