// Exact rationals of BigInts, for checking money arithmetic without sharing a line of it. Obvious on purpose; a fraction is
// brought to lowest terms only when it has grown long, because most have a power of ten below the line and stay short.

/** Denominators up to this are kept as they come. */
const LONG = 10n ** 40n;
/** Texts that were read: the same prices and sizes are asked for again and again. */
const READ = new Map<string, Fraction>();
const READ_MAX = 20_000;

export class Fraction {
  readonly numerator: bigint;
  /** Always positive. */
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator = 1n) {
    const isShort = denominator > 0n && denominator <= LONG;
    const divisor = isShort ? 1n : gcd(abs(numerator), abs(denominator)) * (denominator < 0n ? -1n : 1n);
    this.numerator = isShort ? numerator : numerator / divisor;
    this.denominator = isShort ? denominator : denominator / divisor;
  }

  /** Plain decimal text (`-12.5`) or a whole number. */
  static of(value: string | number): Fraction {
    const text = String(value);
    const known = READ.get(text);
    if (known) return known;
    const [whole = '0', decimals = ''] = text.split('.');
    const read = new Fraction(BigInt(whole + decimals), tenTo(decimals.length));
    if (READ.size >= READ_MAX) READ.clear();
    READ.set(text, read);
    return read;
  }

  plus(other: Fraction): Fraction {
    const { numerator: a, denominator: b } = this;
    if (b === other.denominator) return new Fraction(a + other.numerator, b);
    return new Fraction(a * other.denominator + other.numerator * b, b * other.denominator);
  }

  minus(other: Fraction): Fraction {
    const { numerator: a, denominator: b } = this;
    if (b === other.denominator) return new Fraction(a - other.numerator, b);
    return new Fraction(a * other.denominator - other.numerator * b, b * other.denominator);
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  negated(): Fraction {
    return new Fraction(-this.numerator, this.denominator);
  }

  magnitude(): Fraction {
    return new Fraction(abs(this.numerator), this.denominator);
  }

  /** -1, 0 or 1. */
  sign(): number {
    return this.numerator > 0n ? 1 : this.numerator < 0n ? -1 : 0;
  }

  compare(other: Fraction): number {
    const [left, right] = [this.numerator * other.denominator, other.numerator * this.denominator];
    return left > right ? 1 : left < right ? -1 : 0;
  }

  equals(other: Fraction): boolean {
    return this.compare(other) === 0;
  }

  /** Toward zero. */
  cut(decimals: number): Fraction {
    const scale = tenTo(decimals);
    return new Fraction((this.numerator * scale) / this.denominator, scale);
  }

  /** To the nearest, ties away from zero. */
  rounded(decimals: number): Fraction {
    const scale = tenTo(decimals);
    const doubled = (abs(this.numerator) * scale * 2n + this.denominator) / (this.denominator * 2n);
    return new Fraction(this.numerator < 0n ? -doubled : doubled, scale);
  }

  /** Plain decimal text, rounded where it does not end within `decimals`. */
  text(decimals = 40): string {
    const { numerator, denominator } = this.rounded(decimals);
    const digits = String((abs(numerator) * tenTo(decimals)) / denominator).padStart(decimals + 1, '0');
    const plain = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
    return numerator < 0n ? `-${plain}` : plain;
  }
}

export const NOTHING = new Fraction(0n);

const POWERS = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function tenTo(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}
