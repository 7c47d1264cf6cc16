// The open positions, sortable.
import { PositionTable } from '../../parts/account/PositionTable.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Loading } from '../../parts/states.tsx';
import { account } from '../../state/account.ts';

export default function Positions() {
  return (
    <Shell title="Positions">
      {account.value === undefined ? (
        <Loading lines={5} />
      ) : (
        <PositionTable positions={account.value.positions} rangesAtOnce={4} />
      )}
    </Shell>
  );
}
