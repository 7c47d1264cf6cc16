// What stands around every page of a user: the figures of the account, the light of the connection, where the prices come from, and
// the way to the other pages.
import type { ComponentChildren } from 'preact';
import { endSession } from '../api/browserSession.ts';
import { percent } from '../domain/numberText.ts';
import { age } from '../domain/timeText.ts';
import { account } from '../state/account.ts';
import { nowMs } from '../state/clock.ts';
import { address, navigate } from '../state/route.ts';
import { theme, timeZone } from '../state/settings.ts';
import { stream } from '../state/stream.ts';
import { user } from '../state/user.ts';
import { Gain, Usd } from './numbers.tsx';

const LINKS = [
  ['/overview', 'Overview'],
  ['/positions', 'Positions'],
  ['/orders', 'Orders'],
  ['/fills', 'Fills'],
  ['/keys', 'Keys'],
  ['/connect', 'Connect a bot'],
] as const;

/** Without a private message for this long the figures count as old: the state comes every 5 s. */
const OLD_MS = 7_000;

export function Shell({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const isOld = ageOfState() > OLD_MS;
  return (
    <div class={isOld ? 'app old' : 'app'}>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header>
        <nav aria-label="Pages">
          {LINKS.map(([to, name]) => (
            <a key={to} href={to} aria-current={address.value.startsWith(to) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <Figures />
        <Light />
        <Preferences />
      </header>
      <main id="page" tabIndex={-1}>
        <h1>{title}</h1>
        {children}
      </main>
      <footer>
        Virtual money. Charts by <a href="https://www.tradingview.com/">TradingView</a> lightweight-charts, © TradingView, Inc. ·{' '}
        <a href="/docs">API documentation</a> · <a href="/status">Status</a>
      </footer>
    </div>
  );
}

function Figures() {
  const now = account.value;
  if (now === undefined) return <dl class="figures" aria-busy="true" />;
  const gain = now.positions.length > 0;
  return (
    <dl class="figures">
      <div>
        <dt>Account value</dt>
        <dd>
          <Usd value={now.accountValue} />
        </dd>
      </div>
      {gain && (
        <div>
          <dt>Unrealized</dt>
          <dd>
            <Gain value={now.unrealizedPnl} />
          </dd>
        </div>
      )}
      <div>
        <dt>Withdrawable</dt>
        <dd>
          <Usd value={now.withdrawable} />
        </dd>
      </div>
      {now.marginRatio !== undefined && (
        <div>
          <dt>Margin ratio</dt>
          <dd>
            <meter min={0} max={1} low={0.8} high={0.95} optimum={0} value={Math.min(1, now.marginRatio)}>
              {percent(now.marginRatio)}
            </meter>{' '}
            <span class="number">{percent(now.marginRatio, { decimals: 1 })}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

const WORDS = {
  connecting: 'connecting',
  open: 'live',
  waiting: 'connection lost, trying again',
  expired: 'read only: trial or subscription is over',
  loggedOut: 'logged out',
} as const;

/** Whether the figures are of now, and how old they are when they are not. */
function Light() {
  const connection = stream.connection.value;
  const ageMs = ageOfState();
  const isGood = connection === 'open' && ageMs <= OLD_MS;
  return (
    <p class={`light ${isGood ? 'good' : 'bad'}`} role="status">
      {isGood ? WORDS.open : connection === 'open' ? `no news for ${age(ageMs)}` : WORDS[connection]}
    </p>
  );
}

/** ms since the account was last heard of; 0 before the first message. */
function ageOfState(): number {
  const heardMs = stream.heardAtMs.value;
  void nowMs.value;
  return heardMs === 0 ? 0 : Date.now() - heardMs;
}

function Preferences() {
  const next = { system: 'light', light: 'dark', dark: 'system' } as const;
  const leave = (): void => {
    // A server that cannot be told forgets the session later; this page has forgotten it already.
    const show = (): void => navigate('/login');
    endSession().then(show, show);
  };
  return (
    <div class="preferences">
      <button
        type="button"
        onClick={() => {
          theme.value = next[theme.value];
        }}
      >
        Theme: {theme.value}
      </button>
      <button
        type="button"
        onClick={() => {
          timeZone.value = timeZone.value === 'utc' ? 'local' : 'utc';
        }}
      >
        Time: {timeZone.value === 'utc' ? 'UTC' : 'local'}
      </button>
      <span class="quiet">{user.value?.email}</span>
      <button type="button" onClick={leave}>
        Log out
      </button>
    </div>
  );
}
