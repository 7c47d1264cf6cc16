// `bin/admin discount create`: makes a code that users enter before they pay.

import { createCode } from '../operators/money/discounts.ts';
import { UsageError } from '../operators/operatorParts.ts';
import type { Discount } from '../shared/domain/billing/discount.ts';
import { centsText, readCents } from '../shared/domain/billing/terms.ts';
import type { AdminCommand } from './adminCommand.ts';
import { readOptions } from './readOptions.ts';

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
