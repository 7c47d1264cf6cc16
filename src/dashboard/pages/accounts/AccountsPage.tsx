// A page over the accounts of the user: they are asked for when it is first shown, and an error stands above the accounts of the
// last answer.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AccountGroup } from '../../api/contract.ts';
import { ErrorState, Loading } from '../../parts/answers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { readUserAccounts, userAccounts } from '../../state/chosenAccount.ts';

interface Props {
  readonly title: string;
  /** Asks again after this long while the page is seen, ms; absent = when a part of the page does. */
  readonly everyMs?: number;
  readonly children: (now: AccountGroup) => ComponentChildren;
}

export function AccountsPage({ title, everyMs, children }: Props) {
  const [error, setError] = useState<Error>();
  const look = (): void => {
    readUserAccounts().then(() => setError(undefined), setError);
  };
  useEffect(() => {
    look();
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || look(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  const now = userAccounts.value;
  return (
    <Shell title={title}>
      {error && <ErrorState error={error} onRetry={look} />}
      {now === undefined ? error === undefined && <Loading lines={8} /> : children(now)}
    </Shell>
  );
}
