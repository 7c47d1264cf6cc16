// Which two accounts are compared: a fork, and an account that it has an entry in common with: what it was forked from, over several forks
// too, or another fork of that.

interface MayBeFork {
  readonly address: string;
  readonly fork: { readonly of: string } | null;
}

/** The accounts beside which an account can stand; the one that it was forked from comes first. */
export function partnersOf<Account extends MayBeFork>(accounts: readonly Account[], account: Account): readonly Account[] {
  const related = accounts.filter((one) => one !== account && firstOf(accounts, one) === firstOf(accounts, account));
  const isSource = ({ address }: Account): boolean => address === account.fork?.of;
  return [...related.filter(isSource), ...related.filter((one) => !isSource(one))];
}

/** The account at which its forks began. */
function firstOf<Account extends MayBeFork>(accounts: readonly Account[], account: Account): string {
  let first = account;
  for (const _ of accounts) {
    const before = accounts.find(({ address }) => address === first.fork?.of);
    if (before === undefined) return first.fork?.of ?? first.address;
    first = before;
  }
  return first.address;
}

/**
 * @param wanted addresses that the reader has named, perhaps of no account
 * @returns undefined when there is no fork that can be compared
 */
export function comparedPair<Account extends MayBeFork>(
  accounts: readonly Account[],
  wanted: { readonly fork: string | null; readonly other: string | null },
): { readonly fork: Account; readonly other: Account } | undefined {
  const forks = accounts.filter((one) => one.fork !== null && partnersOf(accounts, one).length > 0);
  const fork = forks.find(({ address }) => address === wanted.fork) ?? forks[0];
  const partners = fork === undefined ? [] : partnersOf(accounts, fork);
  const other = partners.find(({ address }) => address === wanted.other) ?? partners[0];
  return fork === undefined || other === undefined ? undefined : { fork, other };
}
