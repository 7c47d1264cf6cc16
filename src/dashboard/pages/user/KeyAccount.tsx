// To which account a key is bound, where the user has several; and what a list says of it.
import { useEffect, useState } from 'preact/hooks';
import { ErrorState } from '../../parts/answers.tsx';
import { chosenAccount, nameOf, readUserAccounts, userAccounts } from '../../state/chosenAccount.ts';

/**
 * A field of a form.
 * @param props.bound the account that is chosen at first; null: all accounts; absent: the account that is shown
 * @param props.isAlways shown to users with one account, too
 */
export function KeyAccount({ bound, isAlways = false }: { readonly bound?: string | null; readonly isAlways?: boolean }) {
  const [error, setError] = useState<Error>();
  const read = (): void => {
    setError(undefined);
    readUserAccounts().catch(setError);
  };
  useEffect(() => {
    if (userAccounts.peek() === undefined) read();
  }, []);
  const accounts = userAccounts.value?.accounts ?? [];
  if (error !== undefined && userAccounts.value === undefined)
    return (
      <>
        <p>All accounts are reached: they cannot be listed now, so none can be chosen.</p>
        <ErrorState error={error} onRetry={read} />
      </>
    );
  if (accounts.length < (isAlways ? 1 : 2)) return null;
  const first = bound === undefined ? chosenAccount.value : bound;
  return (
    <label class="field">
      Reaches
      <select name="account">
        <option value="">all accounts</option>
        {accounts.map((account) => (
          <option key={account.address} value={account.address} selected={account.address === first}>
            {nameOf(account)} alone
          </option>
        ))}
      </select>
    </label>
  );
}

/** Whether there is more than one account to choose from. */
export const hasSeveralAccounts = (): boolean => (userAccounts.value?.accounts.length ?? 0) > 1;

/** The part of a request for a new key that the field has filled in. */
export function boundIn(data: FormData): { readonly account?: string } {
  const account = data.get('account');
  return typeof account === 'string' && account !== '' ? { account } : {};
}

/** Which account a key reaches. */
export function ReachedAccount({ address }: { readonly address: string | null }) {
  if (address === null) return <>all accounts</>;
  const account = userAccounts.value?.accounts.find((one) => one.address === address);
  return account === undefined ? <code>{`${address.slice(0, 8)}…${address.slice(-6)}`}</code> : <bdi>{nameOf(account)}</bdi>;
}
