// The notices of this tab: events of the account while the tab was open.
import { signal } from '@preact/signals';
import { serverNow } from '../api/answer.ts';
import type { StreamMessage } from '../api/streamSocket.ts';
import type { Fill } from '../domain/account/wireAccount.ts';
import { type Notice, noticeOf, withNotices } from '../domain/notices.ts';
import { usd } from '../domain/texts.ts';
import { account } from './account.ts';
import { aboutAccount } from './chosenAccount.ts';
import { stream } from './stream.ts';

interface WireFunding {
  readonly coin: string;
  /** USD; < 0 = paid. */
  readonly usdc: string;
  readonly time: number;
}

/** Channels that a break has cut off are refused within this time. */
const SAME_BREAK_MS = 10_000;
let reloadedMs = 0;

/** Newest first. */
export const notices = signal<readonly Notice[]>([]);
/** How many have come since the list was opened last. */
export const unseen = signal(0);
/** They hear of each notice. */
const listeners = new Set<(notice: Notice) => void>();

/** Hears of every notice from now on. @returns ends it */
export function onNotice(listener: (notice: Notice) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function addNotices(more: readonly Notice[]): void {
  if (more.length === 0) return;
  notices.value = withNotices(notices.value, more);
  unseen.value += more.length;
  for (const notice of more) for (const listener of listeners) listener(notice);
}

/** Notices of fills that have just come. */
export const noticeFills = (fills: readonly Fill[]): void =>
  addNotices(
    fills.map(({ side, size, coin, price, timeMs, tid }) => ({
      kind: 'fill',
      text: `${side === 'buy' ? 'Bought' : 'Sold'} ${size} ${coin} at ${price}`,
      timeMs,
      to: `/fills/${tid}`,
    })),
  );

/** Says that rows were missed which the server has no more: once for all channels of a break. */
export function noticeReload(): void {
  const timeMs = serverNow();
  if (timeMs - reloadedMs < SAME_BREAK_MS) return;
  reloadedMs = timeMs;
  addNotices([{ kind: 'history', text: 'The history was reloaded: messages were missed.', timeMs, to: '/fills' }]);
}

/** Says that the account has been reset elsewhere. */
export function noticeReset(): void {
  addNotices([{ kind: 'history', text: 'The account was reset.', timeMs: serverNow(), to: '/overview' }]);
}

/** Follows notifications and funding from the state that is shown on. @returns ends it */
export function followNotices(): () => void {
  const ends: (() => void)[] = [];
  const begin = (seq: number): void => {
    const follow = (type: string, onMessage: (message: StreamMessage) => void): void => {
      // The state that is shown may be as old as what was refused: the next one is of now.
      const onGap = (): void => {
        noticeReload();
        ends.push(onNextState(() => follow(type, onMessage)));
      };
      ends.push(
        stream.subscribe({ subscription: aboutAccount({ type }), fromSeq: account.peek()?.seq ?? seq, onMessage, onGap }),
      );
    };
    follow('notification', ({ data }) => {
      const notice = noticeOf(String(data.notification), serverNow());
      if (notice !== undefined) addNotices([notice]);
    });
    follow('userFundings', ({ data }) => addNotices((data.fundings as readonly WireFunding[]).map(ofFunding)));
  };
  const endWait = account.subscribe((now) => {
    if (now !== undefined && ends.length === 0) begin(now.seq);
  });
  return () => {
    endWait();
    for (const end of ends) end();
    notices.value = [];
    unseen.value = 0;
  };
}

/** Calls once, when the account's next state comes. @returns ends it */
function onNextState(call: () => void): () => void {
  const shown = account.peek();
  const end = account.subscribe((now) => {
    if (now === shown) return;
    end();
    call();
  });
  return end;
}

const ofFunding = ({ coin, usdc, time }: WireFunding): Notice => ({
  kind: 'funding',
  text: `Funding ${coin}: ${usd(usdc, { isSigned: true })} USD`,
  timeMs: time,
  to: '/funding',
});
