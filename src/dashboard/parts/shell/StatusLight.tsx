// Whether the figures are of now, how old they are when they are not, and of which entry of the account's journal.
import { computed } from '@preact/signals';
import { age } from '../../domain/timeText.ts';
import { account } from '../../state/account.ts';
import { nowMs } from '../../state/clock.ts';
import { stream } from '../../state/stream.ts';

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

/** True when the figures may not be those of now. */
export const isStateOld = computed(() => oldMs.value > 0);

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
