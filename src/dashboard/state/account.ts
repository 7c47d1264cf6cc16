// The account as its owner's process shows it: the figures of the shell and the open positions, from one channel, so that
// they are of one moment.
import { signal } from '@preact/signals';
import type { StreamMessage } from '../api/streamSocket.ts';
import { replacesState, type StateMoment } from '../domain/channelProgress.ts';
import { type AccountFigures, type OpenPosition, readAccountState, type WireAccountState } from '../domain/wire/accountState.ts';
import { aboutAccount } from './paths.ts';
import { shownTogether } from './shownTogether.ts';
import { stream } from './stream.ts';

export interface AccountNow extends AccountFigures, StateMoment {
  readonly positions: readonly OpenPosition[];
}

/** undefined until the first message. */
export const account = signal<AccountNow | undefined>(undefined);

/** Follows the account. @returns ends it */
export function followAccount(): () => void {
  const showing = shownTogether<AccountNow>((next) => {
    account.value = next;
  });
  let newest: AccountNow | undefined;
  const onMessage = ({ data, seq = 0 }: StreamMessage): void => {
    const state = data.clearinghouseState as WireAccountState;
    const next = { ...readAccountState(state), seq, timeMs: state.time };
    if (!replacesState(newest, next)) return;
    newest = next;
    showing.give(next);
  };
  const end = stream.subscribe({ subscription: aboutAccount({ type: 'clearinghouseState' }), onMessage });
  return () => {
    end();
    showing.end();
    account.value = undefined;
  };
}
