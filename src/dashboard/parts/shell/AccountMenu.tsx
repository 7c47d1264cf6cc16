// The menus of the corner: the menu of the account with its pages, the choices for this browser and the logout; and the switcher
// of accounts.

import { useState } from 'preact/hooks';
import { endSession } from '../../api/browserSession.ts';
import { account } from '../../state/account.ts';
import {
  chooseAccount,
  chosenAccount,
  chosenName,
  MASTER,
  nameOf,
  readUserAccounts,
  user,
  userAccounts,
} from '../../state/chosenAccount.ts';
import { navigate } from '../../state/route.ts';
import { type Theme, theme, timeZone } from '../../state/settings.ts';
import { ErrorState, Loading } from '../answers.tsx';
import { CopyButton } from '../CopyButton.tsx';
import { Usd } from '../numbers.tsx';
import { Menu } from './Menu.tsx';
import { ACCOUNT_LINKS } from './pageLinks.ts';

export function AccountMenu() {
  const leave = (): void => {
    // A server that cannot be reached forgets the session later; this page has forgotten it already.
    const show = (): void => navigate('/login');
    endSession().then(show, show);
  };
  return (
    <Menu button="Account" class="account">
      <p>
        <bdi>{user.value?.email}</bdi>
      </p>
      <Address />
      <ul>
        {ACCOUNT_LINKS.map(([to, name]) => (
          <li key={to}>
            <a href={to}>{name}</a>
          </li>
        ))}
        {user.value?.roles.includes('operator') && (
          <li>
            <a href="/admin">Operators</a>
          </li>
        )}
      </ul>
      <Choice<Theme>
        name="Theme"
        value={theme.value}
        values={['system', 'light', 'dark']}
        onChoose={(next) => {
          theme.value = next;
        }}
      />
      <Choice
        name="Times"
        value={timeZone.value}
        values={['local', 'utc']}
        onChoose={(next) => {
          timeZone.value = next;
        }}
      />
      <button type="button" onClick={leave}>
        Log out
      </button>
    </Menu>
  );
}

/** The address of the account that is shown. */
function Address() {
  const address = chosenAccount.value || user.value?.address;
  if (address === undefined) return null;
  const seq = account.value?.seq;
  return (
    <p class="accounts">
      <span class="quiet">Trading account{seq !== undefined && `, journal entry ${seq}`}</span>
      <br />
      <code>{`${address.slice(0, 8)}…${address.slice(-6)}`}</code> <CopyButton text={address} label="Copy" />
    </p>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly value: T;
  readonly values: readonly T[];
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ name, value, values, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset class="tabs choices">
      <legend>{name}</legend>
      {values.map((one) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChoose(one)}>
          {one === 'utc' ? 'UTC' : one}
        </button>
      ))}
    </fieldset>
  );
}

/**
 * The name of the account that is shown, and the choice of another. The accounts are asked for when the list is opened, not
 * before.
 */
export function AccountSwitcher() {
  const [error, setError] = useState<Error>();
  const ask = (): void => {
    setError(undefined);
    readUserAccounts().catch(setError);
  };
  const name = <bdi class="chosen">{chosenName.value}</bdi>;
  return (
    <Menu button={name} label={`Account shown: ${chosenName.value}`} class="switcher" onOpen={ask}>
      <h2>Accounts</h2>
      {error && <ErrorState error={error} onRetry={ask} />}
      {userAccounts.value === undefined ? error === undefined && <Loading lines={2} /> : <Choices />}
      <a href="/group">All accounts, side by side</a>
    </Menu>
  );
}

/** The accounts that the page read last, to choose from. */
export function Choices() {
  return (
    <ul class="accountChoices">
      {userAccounts.value?.accounts.map((one) => {
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
