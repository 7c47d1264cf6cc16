// Discount codes as operators make, see and end them.
import type { DiscountSummary } from '../../shared/billing/discountStore.ts';
import { type Discount, discountFault } from '../../shared/domain/billing/discount.ts';
import { centsText, readCents } from '../../shared/domain/billing/terms.ts';
import { type OperatorParts, Refused, Unknown, UsageError } from './operatorParts.ts';
import { type AdminCommand, readOptions } from './terminal.ts';

type Parts = Pick<OperatorParts, 'billing'>;

/** A new code. @throws {UsageError} that says what is wrong with it, {Refused} when it exists already */
export async function createCode({ billing }: Parts, discount: Omit<Discount, 'uses'>): Promise<void> {
  const fault = discountFault(discount);
  if (fault !== undefined) throw new UsageError(fault);
  if (!(await billing.discounts.create(discount))) throw new Refused(`The code ${discount.code} exists already.`);
}

/** The code can no longer be taken. A second call changes nothing. @throws {Unknown} when there is no such code */
export async function endCode({ billing }: Parts, code: string): Promise<void> {
  const isKnown = await billing.discounts.end(code, new Date(billing.now()));
  if (!isKnown) throw new Unknown(`There is no code ${code}.`);
}

/** A code in a list. */
export const toCodeRow = ({ code, kind, value, appliesTo, usesMax, uses, unspent, expiresAtMs }: DiscountSummary) => ({
  ...{ code, kind, value: kind === 'percent' ? String(value) : centsText(value), applies_to: appliesTo },
  ...{ uses, unspent, uses_max: usesMax, expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString() },
});

// `bin/admin discount create`: makes a code that users enter before they pay.

export const createDiscount: AdminCommand = {
  name: 'discount create',
  takes: 'CODE --percent N | --amount USD  --uses N [--for first|all] [--expires DATE]',
  does: 'makes a discount code, for the first payment (standard) or all',
  async run(args, parts) {
    const { words, options } = readOptions(args, ['percent', 'amount', 'uses', 'for', 'expires']);
    const discount = { code: words[0] ?? '', ...discountValueOf(options), ...termsOf(options) };
    await createCode(parts, discount);
    const { code, kind, value, appliesTo, usesMax, expiresAtMs } = discount;
    const shown = kind === 'percent' ? String(value) : centsText(value);
    const expires = expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
    const off = kind === 'percent' ? `${shown} % off` : `${shown} USD off`;
    const what = appliesTo === 'all' ? 'all payments' : 'the first payment';
    return {
      data: { code: code.toUpperCase(), kind, value: shown, applies_to: appliesTo, uses: usesMax, expires_at: expires },
      lines: [`${code.toUpperCase()}: ${off} ${what}, ${usesMax} uses${expires === null ? '' : `, until ${expires}`}.`],
    };
  },
};

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

// `bin/admin discount list` and `bin/admin discount end`: the codes that users enter before they pay.

/** Codes that are read at once. */
const PAGE = 500;

export const listDiscounts: AdminCommand = {
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

export const endDiscount: AdminCommand = {
  name: 'discount end',
  takes: 'CODE',
  does: 'ends a discount code: it can no longer be taken; uses taken before stay',
  async run([code, ...more], parts) {
    if (code === undefined || more.length > 0) throw new UsageError('Which code? One.');
    await endCode(parts, code);
    return { data: { code: code.toUpperCase() }, lines: [`${code.toUpperCase()} has ended.`] };
  },
};
