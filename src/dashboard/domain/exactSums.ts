// Sums and steps of decimal texts without a loss: whole numbers of the smallest unit that occurs.

/** Digits after the point. */
export const decimalsOf = (text: string): number => (text.includes('.') ? text.length - text.indexOf('.') - 1 : 0);

/** The text as a whole number of units of 10^-decimals. @param decimals at least as many as the text has */
export function toUnits(text: string, decimals: number): bigint {
  const [whole = '0', rest = ''] = text.split('.');
  return BigInt(whole + rest.padEnd(decimals, '0'));
}

/** The text of so many units of 10^-decimals, without zeros at its end. */
export function fromUnits(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
}

/** The exact sum of decimal texts; "0" of none. */
export function sumOf(texts: readonly string[]): string {
  const decimals = Math.max(0, ...texts.map(decimalsOf));
  return fromUnits(
    texts.reduce((sum, text) => sum + toUnits(text, decimals), 0n),
    decimals,
  );
}
