// Where two accounts of a user part: an account that began as a fork goes on from an entry of another one, which may be a fork itself. So
// each account has a line of journals, and two lines that have one beginning are the same up to some entry.

/** Entries of one account's journal, both included; `to` is undefined for those up to its newest. */
export interface Stretch {
  readonly account: string;
  readonly from: number;
  readonly to: number | undefined;
}

/** The entry that a fork began after. */
export interface Beginning {
  readonly of: string;
  readonly seq: number;
}

export interface Parting {
  /** The last entry that both have. */
  readonly common: { readonly account: string; readonly seq: number };
  /** What each has done since, in its order. */
  readonly ways: readonly [readonly Stretch[], readonly Stretch[]];
}

/**
 * All that has led to the account, the oldest first.
 * @param beginningOf of an account; undefined = it is no fork
 */
export function lineOf(account: string, beginningOf: (account: string) => Beginning | undefined): Stretch[] {
  const line: Stretch[] = [{ account, from: 1, to: undefined }];
  const known = new Set([account]);
  for (let before = beginningOf(account); before !== undefined && !known.has(before.of); before = beginningOf(before.of)) {
    line.unshift({ account: before.of, from: 1, to: before.seq });
    known.add(before.of);
  }
  return line;
}

/** @returns undefined when the two have no entry in common */
export function partingOf(one: readonly Stretch[], other: readonly Stretch[]): Parting | undefined {
  let at = -1;
  while (one[at + 1] !== undefined && one[at + 1]?.account === other[at + 1]?.account) at += 1;
  const [mine, its] = [one[at], other[at]];
  if (mine === undefined || its === undefined) return undefined;
  const seq = Math.min(mine.to ?? Number.POSITIVE_INFINITY, its.to ?? Number.POSITIVE_INFINITY);
  if (!Number.isFinite(seq)) return undefined;
  const wayOf = (line: readonly Stretch[]): Stretch[] => {
    const [shared, ...own] = line.slice(at) as [Stretch, ...Stretch[]];
    return shared.to === seq ? own : [{ ...shared, from: seq + 1 }, ...own];
  };
  return { common: { account: mine.account, seq }, ways: [wayOf(one), wayOf(other)] };
}
