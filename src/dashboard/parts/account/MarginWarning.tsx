// Says that the account comes near its liquidation, at the levels at which the exchange tells it, too (docs/streams.md).
import { percent } from '../../domain/numberText.ts';
import { account } from '../../state/account.ts';

const WARNS_AT = 0.8;

export function MarginWarning() {
  const ratio = account.value?.marginRatio;
  if (ratio === undefined || ratio < WARNS_AT) return null;
  return (
    <p class="warning" role="status">
      <b>Near liquidation.</b> The maintenance margin takes up {percent(ratio, { decimals: 0 })} of the cross account value; at
      100 {'\u202f'}% positions are liquidated. <a href="/positions">Positions</a>
    </p>
  );
}
