// The dashboard: one more client of the public API. Asks the cookie who is logged in, opens the socket, and shows the page of
// the address.
import './styles/all.css';
import { computed, effect, signal, untracked } from '@preact/signals';
import { render } from 'preact';
import { accessToken, isSessionKnown, resumeSession } from './api/browserSession.ts';
import { matchRoute } from './domain/matchRoute.ts';
import { NOT_FOUND, PAGES } from './pages.ts';
import { ErrorState, Loading } from './parts/answers.tsx';
import { Toasts } from './parts/shell/Notices.tsx';
import { Shortcuts } from './parts/shell/Shortcuts.tsx';
import { followAccount, followOrders, followStart, resets } from './state/account.ts';
import { chosenAccount, readUser, readUserAccounts, user, userAccounts } from './state/chosenAccount.ts';
import { followFills } from './state/fills.ts';
import { followHealth } from './state/health.ts';
import { followNotices, noticeFills, noticeReload, noticeReset } from './state/notices.ts';
import { address, followLinks, navigate, reloadOnce, scriptIsThere } from './state/route.ts';
import { stream } from './state/stream.ts';

/** Shown while it is not known whether the user has the account that was chosen. */
const choiceError = signal<Error | undefined>(undefined);

/** Names the account and its begin; undefined while it is not known whether the user has it. */
const shownAccount = computed(() => (chosenAccount.value === undefined ? undefined : `${chosenAccount.value} ${resets.value}`));

const pageAt = (path: string) => matchRoute(path, PAGES);

function App() {
  const path = address.value.replace(/\?.*$/, '');
  const { page, params } = pageAt(path) ?? { page: NOT_FOUND, params: {} };
  // Pages of an account end with it, and with its reset.
  const key = page.isOpen ? path : `${path} ${shownAccount.value}`;
  const isShown = page.isOpen || (accessToken.value !== undefined && shownAccount.value !== undefined);
  return (
    <>
      {isShown ? <page.View key={key} {...params} /> : <Waiting />}
      <Toasts />
      <Shortcuts />
    </>
  );
}

function Waiting() {
  const error = choiceError.value;
  return error === undefined ? <Loading lines={6} /> : <ErrorState error={error} onRetry={settleChoice} />;
}

followLinks((path) => pageAt(path) !== undefined);

const report = (error: unknown): void => console.warn(error);

function beginSession(): () => void {
  stream.start();
  const end = followHealth();
  readUser().catch(report);
  return () => {
    end();
    user.value = undefined;
    userAccounts.value = undefined;
    stream.stop();
  };
}

function beginAccount(): () => void {
  const ends = [
    ...[followStart(noticeReset), followAccount(), followOrders(), followNotices(), followWhenExpired(report)],
    followFills({ onError: report, onGap: noticeReload, onFills: noticeFills }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Asks whether the user has the account that was chosen in this browser. */
function settleChoice(): void {
  choiceError.value = undefined;
  readUserAccounts().catch((error: Error) => {
    choiceError.value = error;
  });
}

/** The account whose messages are heard: on the one socket, which stays when another one is chosen, or this one is reset. */
let followed: { readonly name: string; readonly end: () => void } | undefined;
effect(() => {
  const name = accessToken.value === undefined ? undefined : shownAccount.value;
  if (name === followed?.name) return;
  const isOther = followed !== undefined && name !== undefined;
  followed?.end();
  followed = name === undefined ? undefined : { name, end: untracked(beginAccount) };
  // An order or a fill of the account before is none of this one's.
  const [, list] = /^\/(orders|fills)\/./.exec(untracked(() => window.location.pathname)) ?? [];
  if (isOther && list !== undefined) navigate(`/${list}`, { replaces: true });
});
effect(() => {
  if (accessToken.value !== undefined && chosenAccount.value === undefined) untracked(settleChoice);
});

/** The parts of a session begin and end with it. */
let endAll: (() => void) | undefined;
effect(() => {
  const isIn = accessToken.value !== undefined;
  if (isIn && endAll === undefined) {
    endAll = untracked(beginSession);
  }
  if (!isIn && endAll !== undefined) {
    endAll();
    endAll = undefined;
  }
});
effect(() => {
  const match = pageAt(address.value.replace(/\?.*$/, ''));
  if (isSessionKnown.value && accessToken.value === undefined && match !== undefined && !match.page.isOpen) {
    navigate(`/login?back=${encodeURIComponent(address.peek())}`, { replaces: true });
  }
});

resumeSession().catch(() => {
  isSessionKnown.value = true;
});
render(<App />, document.body);

/**
 * Shows the account of a user whose trial or paid time is over. The script for it comes when it is needed: most users never need
 * it.
 * @param onError hears of a look that failed @returns ends it
 */
function followWhenExpired(onError: (error: unknown) => void): () => void {
  let isOver = false;
  let isAsked = false;
  let end: (() => void) | undefined;
  const begin = async (): Promise<void> => {
    const { followExpired } = await import('./state/expiredAccount.ts');
    scriptIsThere();
    if (!isOver) end = followExpired(onError);
  };
  const endWait = stream.connection.subscribe((now) => {
    if (now !== 'expired' || isAsked) return;
    isAsked = true;
    begin().catch((error: unknown) => {
      if (!reloadOnce()) onError(error);
    });
  });
  return () => {
    isOver = true;
    endWait();
    end?.();
  };
}
