// Which account is shown, and the way to another one. The accounts are asked for when the list is opened, not before.
import { useState } from 'preact/hooks';
import { chooseAccount, chosenAccount, chosenName, group, MASTER, nameOf } from '../../state/chosenAccount.ts';
import { readGroup } from '../../state/group.ts';
import { Usd } from '../numbers.tsx';
import { ErrorState, Loading } from '../states.tsx';
import { Menu } from './Menu.tsx';

export function AccountSwitcher() {
  const [error, setError] = useState<Error>();
  const ask = (): void => {
    setError(undefined);
    readGroup().catch(setError);
  };
  const name = <bdi class="chosen">{chosenName.value}</bdi>;
  return (
    <Menu button={name} label={`Account shown: ${chosenName.value}`} class="switcher" onOpen={ask}>
      <h2>Accounts</h2>
      {error && <ErrorState error={error} onRetry={ask} />}
      {group.value === undefined ? error === undefined && <Loading lines={2} /> : <Choices />}
      <a href="/group">All accounts, side by side</a>
    </Menu>
  );
}

/** The accounts that the page was told last, to choose one. */
export function Choices() {
  return (
    <ul class="accountChoices">
      {group.value?.accounts.map((one) => {
        const address = one.name === null ? MASTER : one.address;
        const isShown = address === chosenAccount.value;
        return (
          <li key={one.address}>
            <button type="button" aria-pressed={isShown} onClick={() => chooseAccount(address)}>
              <bdi>{nameOf(one)}</bdi> {one.fork && <small>{one.what_if ? 'what-if' : 'fork'}</small>}{' '}
              <Usd value={one.account_value} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
