// Money of invoices: whole US cents inside, decimal text with two places outside.

/** `2000` → `"20.00"`. */
export const centsText = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** `"20"`, `"20.5"` or `"20.50"` → cents; undefined for any other text. */
export function readCents(text: string): number | undefined {
  const parts = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text);
  return parts === null ? undefined : Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
}
