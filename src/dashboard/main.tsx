// The dashboard: one more client of the public API. Asks the cookie who is logged in, opens the socket, and shows the page of
// the address.
import './styles/all.css';
import { effect, untracked } from '@preact/signals';
import { render } from 'preact';
import { accessToken, isSessionKnown, resumeSession } from './api/browserSession.ts';
import { matchRoute } from './domain/matchRoute.ts';
import { NOT_FOUND, PAGES } from './pages/pages.ts';
import { Shortcuts } from './parts/shell/Shortcuts.tsx';
import { Toasts } from './parts/shell/Toasts.tsx';
import { Loading } from './parts/states.tsx';
import { followAccount } from './state/account.ts';
import { followFills } from './state/fills.ts';
import { followMarks } from './state/marks.ts';
import { followOrders } from './state/orders.ts';
import { address, followLinks, navigate } from './state/route.ts';
import { followHealth } from './state/shell/exchange.ts';
import { followExpired } from './state/shell/expiredAccount.ts';
import { followNotices, noticeFills, noticeReload } from './state/shell/notices.ts';
import { stream } from './state/stream.ts';
import { readUser, user } from './state/user.ts';

const pageAt = (path: string) => matchRoute(path, PAGES);

function App() {
  const path = address.value.replace(/\?.*$/, '');
  const { page, params } = pageAt(path) ?? { page: NOT_FOUND, params: {} };
  const isShown = page.isOpen || accessToken.value !== undefined;
  return (
    <>
      {isShown ? <page.View key={path} {...params} /> : <Loading lines={6} />}
      <Toasts />
      <Shortcuts />
    </>
  );
}

followLinks((path) => pageAt(path) !== undefined);

function beginAll(): () => void {
  stream.start();
  const report = (error: unknown): void => console.warn(error);
  const ends = [
    ...[followAccount(), followOrders(), followMarks(), followNotices(), followHealth(), followExpired(report)],
    followFills({ onError: report, onGap: noticeReload, onFills: noticeFills }),
  ];
  readUser().catch(report);
  return () => {
    for (const end of ends) end();
    user.value = undefined;
    stream.stop();
  };
}

/** What the session shows begins and ends with it. */
let endAll: (() => void) | undefined;
effect(() => {
  const isIn = accessToken.value !== undefined;
  if (isIn && endAll === undefined) {
    endAll = untracked(beginAll);
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
