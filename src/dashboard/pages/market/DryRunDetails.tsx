// The dry run of the ticket's order, in the server's figures: fills, fee, margin and liquidation price after, or the refusal.

import type { DryRunData, DryRunExecution } from '../../api/contract.ts';
import { refusalIn } from '../../domain/account/ticket.ts';
import { moment } from '../../domain/texts.ts';
import { Digits, Usd } from '../../parts/numbers.tsx';
import { nowMs } from '../../state/clock.ts';
import { timeZone } from '../../state/settings.ts';

export default function DryRunDetails({ data, coin }: { readonly data: DryRunData; readonly coin: string }) {
  const refusal = refusalIn(data.answer);
  const { effect } = data;
  if (refusal !== undefined) return <p class="error">{refusal}</p>;
  if (effect === null) return null;
  const [execution] = effect.executions;
  const [resting] = effect.resting;
  const after = effect.coins.find((one) => one.coin === coin)?.after;
  return (
    <>
      <dl class="facts">
        {execution && <Execution execution={execution} />}
        {resting && (
          <>
            <dt>Rests</dt>
            <dd>
              <Digits value={resting.sz} /> at <Digits value={resting.limitPx} />
            </dd>
            <dt>Queue before it</dt>
            <dd>{resting.queueAhead === 'unknown' ? 'out of sight' : <Digits value={resting.queueAhead} />}</dd>
            <dt>Fee when it fills</dt>
            <dd>
              <Usd value={resting.makerFee} />
            </dd>
          </>
        )}
        {!execution && !resting && (
          <>
            <dt>At first</dt>
            <dd>waits for its price</dd>
          </>
        )}
        <dt>Margin used</dt>
        <dd>
          <Change before={effect.before.totalMarginUsed} after={effect.after.totalMarginUsed} />
        </dd>
        <dt>Free margin</dt>
        <dd>
          <Change before={effect.before.freeMargin} after={effect.after.freeMargin} />
        </dd>
        <dt>Position after</dt>
        <dd>
          <Digits value={after?.szi ?? '0'} />
        </dd>
        <dt>Liquidation after</dt>
        <dd>
          <Digits value={after?.liquidationPx ? String(Number(Number(after.liquidationPx).toPrecision(6))) : null} />
        </dd>
      </dl>
      {effect.liquidated && <p class="error">It would end in a liquidation.</p>}
      {effect.ends.length > 0 && <p class="quiet">Open orders that it would end: {effect.ends.length}.</p>}
      <p class="quiet small">As of {moment(effect.time, { zone: timeZone.value, nowMs: nowMs.peek() })}; the market moves on.</p>
    </>
  );
}

function Execution({ execution }: { readonly execution: DryRunExecution }) {
  const { sz, avgPx, slippageBps, fee, levels } = execution;
  return (
    <>
      <dt>Fills at once</dt>
      <dd>
        <Digits value={sz} />
      </dd>
      <dt>Average price</dt>
      <dd>
        <Digits value={avgPx} />
      </dd>
      <dt>Slippage from mid</dt>
      <dd class="number">{slippageBps === null ? '–' : `${slippageBps} bps`}</dd>
      <dt>Fee</dt>
      <dd>
        <Usd value={fee} />
      </dd>
      <dt>Levels</dt>
      <dd class="number">{levels.length}</dd>
      <dd class="walk">
        <table>
          <caption class="unseen">Walk of the book</caption>
          <thead>
            <tr>
              <th scope="col">Price</th>
              <th scope="col">Shown</th>
              <th scope="col">Taken before</th>
              <th scope="col">Takes</th>
            </tr>
          </thead>
          <tbody>
            {levels.slice(0, 8).map(({ px, displayedSz, consumedSz, sz: taken }) => (
              <tr key={px}>
                <td>
                  <Digits value={px} />
                </td>
                <td>
                  <Digits value={displayedSz} />
                </td>
                <td>
                  <Digits value={consumedSz} />
                </td>
                <td>
                  <Digits value={taken} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </dd>
    </>
  );
}

const Change = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <>
    <Usd value={before} /> → <Usd value={after} />
  </>
);
