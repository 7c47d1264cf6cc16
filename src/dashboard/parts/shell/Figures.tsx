// The figures of the account that stand above every page, and the light that says how old they are.

import { computed } from '@preact/signals';
import { age, percent } from '../../domain/texts.ts';
import { account } from '../../state/account.ts';
import { nowMs } from '../../state/clock.ts';
import { stream } from '../../state/stream.ts';
import { Gain, Usd } from '../numbers.tsx';

/** From here on the server warns, and from there on liquidation is near. */
const [WARNING, DANGER] = [0.8, 0.95];

export function Figures() {
  const now = account.value;
  if (now === undefined) return <dl class="figures" aria-busy="true" />;
  const { accountValue, unrealizedPnl, withdrawable, marginUsed, marginRatio, positions } = now;
  const value = Number(accountValue);
  const isOpen = positions.length > 0;
  return (
    <dl class="figures">
      <div>
        <dt>Account value</dt>
        <dd>
          <Usd value={accountValue} />
        </dd>
      </div>
      <div>
        <dt>Unrealized</dt>
        <dd>
          <Gain value={unrealizedPnl} />
        </dd>
      </div>
      <div>
        <dt>Withdrawable</dt>
        <dd>
          <Usd value={withdrawable} />
        </dd>
      </div>
      {isOpen && value > 0 && (
        <div title={`${marginUsed} USD`}>
          <dt>Margin used</dt>
          <dd>
            <Bar share={Number(marginUsed) / value} />
          </dd>
        </div>
      )}
      {isOpen && marginRatio !== undefined && (
        <div title="Maintenance margin by the equity of the cross account; at 100 % it is liquidated">
          <dt>Margin ratio</dt>
          <dd>
            <Bar share={marginRatio} warnsAt={WARNING} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** @param props.warnsAt share from which on the bar warns; absent = a high share is no danger */
function Bar({ share, warnsAt }: { readonly share: number; readonly warnsAt?: number }) {
  const tone = warnsAt === undefined || share < warnsAt ? '' : share < DANGER ? 'warning' : 'danger';
  return (
    <span class="gauge">
      <span class={`number ${tone}`}>{percent(share, { decimals: 1 })}</span>
      <span class="track" aria-hidden="true">
        <span class={`part ${tone}`} style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} />
      </span>
    </span>
  );
}

const WORDS = {
  connecting: 'connecting',
  open: 'live',
  waiting: 'connection lost, trying again',
  expired: 'read only',
  loggedOut: 'logged out',
} as const;

/** Without a private message for this long the figures count as old: the state comes every 5 s. */
const OLD_MS = 7_000;

/** ms since the account was last heard of, once that is long; 0 before. Each message changes only the moment, which nobody reads. */
const oldMs = computed(() => {
  const heardMs = stream.heardAtMs.value;
  void nowMs.value;
  const ageMs = heardMs === 0 ? 0 : Date.now() - heardMs;
  return ageMs > OLD_MS ? ageMs : 0;
});

/** True when the figures may be out of date. */
export const isStateOld = computed(() => oldMs.value > 0);

/**
 * The light of the connection: good while the figures are of now, else with their age; its title names the entry of the account's
 * journal.
 */
export function StatusLight() {
  const connection = stream.connection.value;
  const isGood = connection === 'open' && !isStateOld.value;
  const seq = account.value?.seq;
  const place = seq === undefined ? '' : `Entry ${seq} of the account’s journal`;
  return (
    <p class={`light ${isGood ? 'good' : 'bad'}`} role="status" title={place}>
      {isGood ? WORDS.open : connection === 'open' ? `no news for ${age(oldMs.value)}` : WORDS[connection]}
    </p>
  );
}
