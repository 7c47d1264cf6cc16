// The open positions, sortable, with what each side comes to.
import { sidesOf } from '../../domain/account/sideTotals.ts';
import { PositionTable } from '../../parts/account/PositionTable.tsx';
import { Loading } from '../../parts/answers.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Gain, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { account } from '../../state/account.ts';

export default function Positions() {
  const now = account.value;
  return (
    <Shell title="Positions">
      {now === undefined ? (
        <Loading lines={5} />
      ) : (
        <>
          {sidesOf(now.positions).map(({ side, count, notional, unrealizedPnl, marginUsed, fundingReceived }) => (
            <section key={side} class="sideTotals" aria-label={`Sum of the ${side} positions`}>
              <Facts
                kind="figures"
                facts={[
                  { term: side === 'long' ? 'Long' : 'Short', value: count === 1 ? '1 position' : `${count} positions` },
                  { term: 'Value', value: <Usd value={notional} /> },
                  { term: 'Unrealized', value: <Gain value={unrealizedPnl} /> },
                  { term: 'Margin', value: <Usd value={marginUsed} /> },
                  { term: 'Funding since open', value: <Gain value={fundingReceived} /> },
                ]}
              />
            </section>
          ))}
          <PositionTable positions={now.positions} rangesAtOnce={4} />
          <p class="asOf">
            Entry <span class="number">{now.seq}</span> of the account’s journal
          </p>
        </>
      )}
    </Shell>
  );
}
