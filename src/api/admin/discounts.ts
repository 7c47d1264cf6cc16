// GET /v1/admin/discounts, POST /v1/admin/discounts, POST …/{code}/end: the codes that users enter before they pay.
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { createCode, endCode, toCodeRow } from '../../operators/acts/discounts.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { Discount } from '../../shared/domain/billing/discount.ts';
import { readCents } from '../../shared/domain/billing/terms.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { Count, DiscountKindName, DiscountScope, exactly, IsoTime, Message, orNull } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { decimalText, fitting, ISO_TIME_OR_DAY } from '../contract/requestValues.ts';
import { compileReader } from '../http/requestReader.ts';
import { type AdminEndpoint, act, look, MAY_BE_UNKNOWN } from '../../operators/endpoints.ts';
import { PAGE_ERRORS, pageOf, pageParameters, readPage } from '../../operators/acts/page.ts';

const CodeName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  expected: '1 to 64 letters, digits, _ or -',
  examples: ['WELCOME'],
});
const CODE = /^[A-Z0-9_-]{1,64}$/;

const listDiscounts = look({
  id: 'listDiscountCodes',
  path: '/v1/admin/discounts',
  summary: 'Discount codes in the order of the alphabet.',
  query: Type.Object(pageParameters),
  answer: pageOf(
    'DiscountCodePage',
    named(
      'DiscountCode',
      exactly({
        code: Type.String({ examples: ['WELCOME'] }),
        kind: DiscountKindName,
        value: described(Type.String(), 'Percent, or USD with two decimals.'),
        applies_to: described(DiscountScope, 'The first payment, or all.'),
        uses: Count,
        unspent: described(Count, 'Of the uses, those that no payment was made with yet.'),
        uses_max: Count,
        expires_at: orNull(IsoTime),
      }),
    ),
  ),
  errors: PAGE_ERRORS,
  read: (ctx, { operators }) =>
    readPage(ctx, {
      form: CODE,
      read: (limit, after) => operators.billing.discounts.page({ limit, after }),
      placeOf: ({ code }) => code,
      show: toCodeRow,
    }),
});

const WHOLE_PERCENT = '^([1-9]\\d?|100)$';
const CENTS = decimalText({ to: 9, decimals: 2 }, '').pattern;

const NewCode = Type.Object(
  {
    code: CodeName,
    kind: { ...DiscountKindName, expected: '"percent" or "amount"' },
    value: Type.String({ maxLength: 20, expected: 'a text: whole percent, or USD such as "5.00"', examples: ['20'] }),
    uses_max: Type.Integer({ minimum: 1, maximum: 5000, expected: 'a whole number from 1 to 5000' }),
    applies_to: Type.Optional({ ...DiscountScope, expected: '"first" or "all"' }),
    expires_at: Type.Optional(
      Type.Union([Type.String({ pattern: ISO_TIME_OR_DAY }), Type.Null()], {
        expected: 'an ISO 8601 date or time with its zone, or null',
      }),
    ),
  },
  {
    expected: 'an object',
    ...fitting('must have a whole percent up to 100, or USD with at most two decimals, as value', {
      anyOf: [
        { properties: { kind: { const: 'percent' }, value: { not: { pattern: WHOLE_PERCENT } } } },
        { properties: { kind: { const: 'amount' }, value: { not: { pattern: CENTS } } } },
      ],
    }),
  },
);

const makeDiscount = act<Static<typeof NewCode>>({
  id: 'makeDiscountCode',
  path: '/v1/admin/discounts',
  summary: 'Makes a discount code.',
  body: {
    read: compileReader(NewCode),
    examples: { percent: { code: 'WELCOME', kind: 'percent', value: '20', uses_max: 100 } },
  },
  answer: Message,
  errors: {},
  audited: (_ctx, { code, kind, value, uses_max }) => `make code ${code} ${kind} ${value} ${uses_max} uses`,
  act: async ({ operators }, { body }) => {
    await createCode(operators, toDiscount(body));
    return { message: `The code ${body.code.toUpperCase()} is made.` };
  },
});

function toDiscount({
  code,
  kind,
  value,
  uses_max,
  applies_to = 'first',
  expires_at = null,
}: Static<typeof NewCode>): Omit<Discount, 'uses'> {
  const amount = kind === 'percent' ? Number(value) : readCents(value);
  assert(amount !== undefined, 'the schema lets no other amount through');
  const expiresAtMs = expires_at === null ? null : Date.parse(expires_at);
  return { code, kind, value: amount, appliesTo: applies_to, usesMax: uses_max, expiresAtMs };
}

const codeOf = (ctx: RouteContext): string => ctx.params['code'] ?? '';
const params: TObject = Type.Object({ code: CodeName });

const endDiscount = act({
  id: 'endDiscountCode',
  path: '/v1/admin/discounts/:code/end',
  summary: 'Ends a discount code: it can no longer be taken; uses taken before stay.',
  params,
  answer: Message,
  errors: MAY_BE_UNKNOWN,
  audited: (ctx) => `end code ${codeOf(ctx)}`,
  act: async ({ operators }, { ctx }) => {
    await endCode(operators, codeOf(ctx));
    return { message: `The code ${codeOf(ctx).toUpperCase()} has ended.` };
  },
});

export const discountEndpoints: readonly AdminEndpoint[] = [listDiscounts, makeDiscount, endDiscount];
