// Numbers as people read them. Money, prices and sizes come from the server as text and keep its digits: these functions
// group and sign them, and cut them only where a bound is named. They never compute with them.

/** A space that does not break a line, thinner than a word's. */
const THIN = '\u202f';

/** `1234567.50` as `1 234 567.50`, with thin spaces. Text that is no plain decimal comes back as it is. */
export function grouped(text: string): string {
  const match = /^([+\-−]?)(\d+)(\.\d+)?$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', rest = ''] = match;
  return `${sign === '-' ? '−' : sign}${whole.replace(/\B(?=(\d{3})+$)/g, THIN)}${rest}`;
}

/**
 * USD with exactly two decimals, cut towards zero, so that it never shows more than there is.
 * @param options.isSigned shows `+` before gains
 */
export function usd(text: string, options: { isSigned?: boolean } = {}): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return text;
  const [, minus = '', whole = '', decimals = ''] = match;
  const cents = decimals.padEnd(2, '0').slice(0, 2);
  const isZero = /^0*$/.test(whole + cents);
  const sign = isZero ? '' : minus || (options.isSigned ? '+' : '');
  return grouped(`${sign}${whole}.${cents}`);
}

/** 0.1234 as `12.34 %`. @param share a number that the page has computed, or a server's text */
export function percent(share: number | string, { decimals = 2, isSigned = false } = {}): string {
  const value = Number(share) * 100;
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(decimals);
  const sign = Number(text) === 0 ? '' : value < 0 ? '−' : isSigned ? '+' : '';
  return `${sign}${text}${THIN}%`;
}

/** -1, 0 or 1: the sign of a decimal text, without making it a number of the machine's first. */
export function signOf(text: string): -1 | 0 | 1 {
  if (!/[1-9]/.test(text)) return 0;
  return text.startsWith('-') ? -1 : 1;
}

/** The number with the other sign; zero has none. */
export function negated(text: string): string {
  if (signOf(text) === 0) return text.replace(/^-/, '');
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}
