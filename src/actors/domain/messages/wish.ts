// What an operator wants of an account, as Redis has it for the account's owner.

export type Wish =
  /** A halted account back with all its entries. */
  | { readonly want: 'lift' }
  /** The same without the entries that cannot be folded. */
  | { readonly want: 'drop' }
  /** The account as of an entry, from the archive; it is halted first. Builds without an archive take it for `lift`. */
  | { readonly want: 'rebuild'; readonly asOf: number };

export const writeWish = (wish: Wish): string => (wish.want === 'rebuild' ? `rebuild ${wish.asOf}` : wish.want);

/** Words that this build does not know are `lift`, which loses nothing. */
export function readWish(text: string): Wish {
  const [, asOf] = /^rebuild (\d+)$/.exec(text) ?? [];
  if (asOf !== undefined) return { want: 'rebuild', asOf: Number(asOf) };
  return { want: text === 'drop' ? 'drop' : 'lift' };
}
