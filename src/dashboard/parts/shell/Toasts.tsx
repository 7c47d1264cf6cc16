// Says fills, liquidations and margin warnings aloud, at most once in five seconds: for eyes in a corner of the page, for readers
// in a live region that stays while pages change.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ANNOUNCE_EVERY_MS, announcement, isUrgent, type Notice } from '../../domain/notices.ts';
import { chosenAccount, chosenName } from '../../state/chosenAccount.ts';
import { onNotice } from '../../state/shell/notices.ts';

/** A toast stays for so long, ms. */
const SHOWN_MS = 8_000;

const shown = signal<{ readonly text: string; readonly isBad: boolean } | undefined>(undefined);

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
    // What was said of the account before is not said of this one.
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
