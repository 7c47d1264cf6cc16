// Notices of the account: the list since the page was opened, newest first, and the toasts.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ANNOUNCE_EVERY_MS, announcement, isUrgent, type Notice } from '../../domain/notices.ts';
import { age } from '../../domain/texts.ts';
import { chosenAccount, chosenName } from '../../state/chosenAccount.ts';
import { nowMs } from '../../state/clock.ts';
import { notices, onNotice, unseen } from '../../state/notices.ts';
import { Menu } from './Menu.tsx';

export function Notices() {
  const count = unseen.value;
  const label = count === 0 ? 'Notifications' : `Notifications, ${count} new`;
  const button = (
    <>
      <svg aria-hidden="true" width="14" height="14" viewBox="0 0 16 16" fill="currentColor">
        <path d="M8 1a1 1 0 0 0-1 1v.4A4.5 4.5 0 0 0 3.5 6.8V10L2 12v1h12v-1l-1.5-2V6.800A4.5 4.5 0 0 0 9 2.400V2a1 1 0 0 0-1-1zM6.200 14a1.900 1.900 0 0 0 3.600 0z" />
      </svg>
      {count > 0 && (
        <span class="count" aria-hidden="true">
          {count > 99 ? '99+' : count}
        </span>
      )}
    </>
  );
  const see = (): void => {
    unseen.value = 0;
  };
  return (
    <Menu label={label} button={button} class="notices" onOpen={see}>
      <NoticeList />
    </Menu>
  );
}

function NoticeList() {
  return (
    <>
      <h2>Notifications</h2>
      {notices.value.length === 0 ? (
        <p class="quiet">Nothing has happened since this page was opened.</p>
      ) : (
        <ol>
          {notices.value.map(({ kind, text, timeMs, to }, i) => (
            <li key={i} class={kind}>
              {to === undefined ? text : <a href={to}>{text}</a>} <span class="quiet">{age(nowMs.value - timeMs)}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** A toast stays for so long, ms. */
const SHOWN_MS = 8_000;

const shown = signal<{ readonly text: string; readonly isBad: boolean } | undefined>(undefined);

/**
 * Says fills, liquidations and margin warnings aloud, at most once in five seconds: for eyes in a corner of the page, for
 * readers in a live region that stays while pages change.
 */
export function Toasts() {
  useEffect(() => follow(), []);
  const toast = shown.value;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toast !== undefined && (
        <p class={toast.isBad ? 'toast bad' : 'toast'}>
          {toast.text}
          <button
            type="button"
            class="small"
            aria-label="Hide"
            onClick={() => {
              shown.value = undefined;
            }}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

function follow(): () => void {
  let waiting: Notice[] = [];
  let saidAtMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const say = (): void => {
    timer = undefined;
    saidAtMs = performance.now();
    shown.value = { text: announcement(waiting), isBad: waiting.some(({ kind }) => kind !== 'fill') };
    waiting = [];
    hideLater();
  };
  const hideLater = (): void => {
    clearTimeout(hiding);
    hiding = setTimeout(() => {
      shown.value = undefined;
    }, SHOWN_MS);
  };
  let account = chosenAccount.peek();
  const endChoice = chosenAccount.subscribe((next) => {
    if (next === account) return;
    const isOther = next !== undefined;
    account = next;
    // Notices of the account before are no notices of this one.
    clearTimeout(timer);
    timer = undefined;
    waiting = [];
    shown.value = isOther ? { text: `Account shown: ${chosenName.peek()}`, isBad: false } : undefined;
    hideLater();
  });
  const end = onNotice((notice) => {
    if (!isUrgent(notice)) return;
    waiting.push(notice);
    timer ??= setTimeout(say, Math.max(0, saidAtMs + ANNOUNCE_EVERY_MS - performance.now()));
  });
  return () => {
    end();
    endChoice();
    clearTimeout(timer);
    clearTimeout(hiding);
  };
}
