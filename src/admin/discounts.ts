// `bin/admin discount list` and `bin/admin discount end`: the codes that users enter before they pay.
import { endCode, toCodeRow } from '../operators/money/discounts.ts';
import { UsageError } from '../operators/operatorParts.ts';
import type { AdminCommand } from './adminCommand.ts';

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
