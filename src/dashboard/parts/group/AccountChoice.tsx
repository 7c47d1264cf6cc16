// A choice among accounts of the user, which is made at once.
import type { GroupAccount } from '../../api/contract.ts';
import { nameOf } from '../../state/chosenAccount.ts';

interface Props {
  readonly label: string;
  readonly accounts: readonly GroupAccount[];
  readonly chosen: GroupAccount;
  readonly onChoose: (address: string) => void;
}

export function AccountChoice({ label, accounts, chosen, onChoose }: Props) {
  return (
    <label class="filter">
      {label}
      <select value={chosen.address} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {accounts.map((one) => (
          <option key={one.address} value={one.address}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
