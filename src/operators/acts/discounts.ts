// Discount codes, which users enter before they pay: operators make, see and end them.

import { type Static, type TObject, Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { Count, DiscountKindName, DiscountScope, exactly, IsoTime, Message, orNull } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { decimalText, fitting, ISO_TIME_OR_DAY } from '../../api/contract/requestValues.ts';
import type { DiscountSummary } from '../../shared/billing/discountStore.ts';
import { assert } from '../../shared/domain/assert.ts';
import { type Discount, discountFault } from '../../shared/domain/billing/discount.ts';
import { centsText, readCents } from '../../shared/domain/billing/terms.ts';
import { operatorAct, operatorLook } from './operatorAct.ts';
import { type AdminCommand, onlyWord, Refused, readOptions, Unknown, UsageError } from './operatorParts.ts';
import { MAY_BE_UNKNOWN, PAGE_ERRORS, pageOf, pageParameters, readPage } from './page.ts';

/** A code in a list. */
export const toCodeRow = ({ code, kind, value, appliesTo, usesMax, uses, unspent, expiresAtMs }: DiscountSummary) => ({
  ...{ code, kind, value: kind === 'percent' ? String(value) : centsText(value), applies_to: appliesTo },
  ...{ uses, unspent, uses_max: usesMax, expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString() },
});

const CodeName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  expected: '1 to 64 letters, digits, _ or -',
  examples: ['WELCOME'],
});
const CODE = /^[A-Z0-9_-]{1,64}$/;

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

type NewDiscount = Omit<Discount, 'uses'>;

interface AskedDiscount {
  readonly discount: NewDiscount;
  /** As it was asked for. */
  readonly value: string;
}

export const createDiscount = operatorAct<AskedDiscount, NewDiscount, void>({
  check: (_parts, { discount }) => {
    const fault = discountFault(discount);
    if (fault !== undefined) throw new UsageError(fault);
    return discount;
  },
  act: async ({ billing }, discount) => {
    if (!(await billing.discounts.create(discount))) throw new Refused(`The code ${discount.code} exists already.`);
  },
  command: {
    name: 'discount create',
    takes: 'CODE --percent N | --amount USD  --uses N [--for first|all] [--expires DATE]',
    does: 'makes a discount code, for the first payment (standard) or all',
    ask: (args) => {
      const { words, options } = readOptions(args, ['percent', 'amount', 'uses', 'for', 'expires']);
      const discount = { code: words[0] ?? '', ...discountValueOf(options), ...termsOf(options) };
      return { discount, value: options.get('percent') ?? options.get('amount') ?? '' };
    },
    data: (discount) => {
      const { code, kind, appliesTo, usesMax } = discount;
      return {
        ...{ code: code.toUpperCase(), kind, value: valueText(discount), applies_to: appliesTo, uses: usesMax },
        expires_at: expiresText(discount),
      };
    },
    lines: (_done, discount) => {
      const { code, kind, appliesTo, usesMax } = discount;
      const off = `${valueText(discount)} ${kind === 'percent' ? '%' : 'USD'} off`;
      const what = appliesTo === 'all' ? 'all payments' : 'the first payment';
      const expires = expiresText(discount);
      return [`${code.toUpperCase()}: ${off} ${what}, ${usesMax} uses${expires === null ? '' : `, until ${expires}`}.`];
    },
  },
  endpoint: {
    id: 'makeDiscountCode',
    path: '/v1/admin/discounts',
    summary: 'Makes a discount code.',
    body: {
      schema: NewCode,
      examples: { percent: { code: 'WELCOME', kind: 'percent', value: '20', uses_max: 100 } },
    },
    answer: Message,
    errors: {},
    ask: (_ctx, body) => {
      const asked = body as Static<typeof NewCode>;
      return { discount: toDiscount(asked), value: asked.value };
    },
    audited: ({ discount: { code, kind, usesMax }, value }) => `make code ${code} ${kind} ${value} ${usesMax} uses`,
    show: (_done, { code }) => ({ message: `The code ${code.toUpperCase()} is made.` }),
  },
});

const valueText = ({ kind, value }: Pick<Discount, 'kind' | 'value'>): string =>
  kind === 'percent' ? String(value) : centsText(value);
const expiresText = ({ expiresAtMs }: NewDiscount): string | null =>
  expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();

function discountValueOf(options: ReadonlyMap<string, string>): Pick<Discount, 'kind' | 'value'> {
  const percent = options.get('percent');
  const amount = options.get('amount');
  if ((percent === undefined) === (amount === undefined)) throw new UsageError('Give one of --percent and --amount.');
  if (percent !== undefined) return { kind: 'percent', value: Number(percent) };
  return { kind: 'amount', value: readCents(amount ?? '') ?? Number.NaN };
}

function termsOf(options: ReadonlyMap<string, string>): Pick<Discount, 'appliesTo' | 'usesMax' | 'expiresAtMs'> {
  const appliesTo = options.get('for') ?? 'first';
  if (appliesTo !== 'first' && appliesTo !== 'all') throw new UsageError('--for must be first or all.');
  const expires = options.get('expires');
  const expiresAtMs = expires === undefined ? null : Date.parse(expires);
  if (Number.isNaN(expiresAtMs)) throw new UsageError('--expires must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  return { appliesTo, usesMax: Number(options.get('uses')), expiresAtMs };
}

function toDiscount(asked: Static<typeof NewCode>): NewDiscount {
  const { code, kind, value, uses_max, applies_to = 'first', expires_at = null } = asked;
  const amount = kind === 'percent' ? Number(value) : readCents(value);
  assert(amount !== undefined, 'the schema lets no other amount through');
  const expiresAtMs = expires_at === null ? null : Date.parse(expires_at);
  return { code, kind, value: amount, appliesTo: applies_to, usesMax: uses_max, expiresAtMs };
}

const PAGE = 500;

/** For the terminal alone, which shows all of them. */
export const listAllDiscounts: AdminCommand = {
  name: 'discount list',
  takes: '',
  does: 'shows the discount codes with their uses',
  async run(_args, { billing }) {
    const codes: ReturnType<typeof toCodeRow>[] = [];
    for (;;) {
      const page = await billing.discounts.page({ after: codes.at(-1)?.code, limit: PAGE });
      codes.push(...page.map(toCodeRow));
      if (page.length < PAGE) break;
    }
    const lines = codes.map(({ code, kind, value, applies_to, uses, uses_max, expires_at }) =>
      [
        code,
        kind === 'percent' ? `${value} %` : `${value} USD`,
        applies_to,
        `${uses} of ${uses_max}`,
        expires_at ?? 'no end',
      ].join('  '),
    );
    return { data: { discounts: codes }, lines: lines.length === 0 ? ['There are no codes.'] : lines };
  },
};

/** For the API alone. */
export const listDiscounts = operatorLook<RouteContext, unknown>({
  look: ({ billing }, ctx) =>
    readPage(ctx, {
      form: CODE,
      read: (limit, after) => billing.discounts.page({ limit, after }),
      placeOf: ({ code }) => code,
      show: toCodeRow,
    }),
  endpoint: {
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
    ask: (ctx) => ctx,
  },
});

/** The code can no longer be taken. A second call changes nothing. */
export const endDiscount = operatorAct<string, string, void>({
  check: (_parts, code) => code,
  act: async ({ billing }, code) => {
    const isKnown = await billing.discounts.end(code, new Date(billing.now()));
    if (!isKnown) throw new Unknown(`There is no code ${code}.`);
  },
  command: {
    name: 'discount end',
    takes: 'CODE',
    does: 'ends a discount code: it can no longer be taken; uses taken before stay',
    ask: (args) => onlyWord(args, 'Which code? One.'),
    data: (code) => ({ code: code.toUpperCase() }),
    lines: (_done, code) => [`${code.toUpperCase()} has ended.`],
  },
  endpoint: {
    id: 'endDiscountCode',
    path: '/v1/admin/discounts/:code/end',
    summary: 'Ends a discount code: it can no longer be taken; uses taken before stay.',
    params: Type.Object({ code: CodeName }) satisfies TObject,
    answer: Message,
    errors: MAY_BE_UNKNOWN,
    ask: (ctx) => ctx.params['code'] ?? '',
    audited: (code) => `end code ${code}`,
    show: (_done, code) => ({ message: `The code ${code.toUpperCase()} has ended.` }),
  },
});
