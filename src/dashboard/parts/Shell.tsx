// What stands around every page of a user: the figures of the account, the light of the connection, where the prices come from,
// what has happened, and the way to the other pages.
import type { ComponentChildren } from 'preact';
import { address } from '../state/route.ts';
import { Heading } from './Heading.tsx';
import { AccountMenu } from './shell/AccountMenu.tsx';
import { AccountSwitcher } from './shell/AccountSwitcher.tsx';
import { Bands } from './shell/Bands.tsx';
import { Figures } from './shell/Figures.tsx';
import { Menu } from './shell/Menu.tsx';
import { Notices } from './shell/Notices.tsx';
import { PAGE_LINKS, type PageLink } from './shell/pageLinks.ts';
import { isStateOld, StatusLight } from './shell/StatusLight.tsx';

export function Shell({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class={isStateOld.value ? 'app old' : 'app'}>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <Bands />
      <header>
        <nav aria-label="Pages" class="wide">
          <Links />
          <More />
        </nav>
        <Menu button="☰" label="Pages" class="narrow">
          <nav aria-label="Pages">
            <Links />
          </nav>
        </Menu>
        <Figures />
        <div class="corner">
          <AccountSwitcher />
          <StatusLight />
          <Notices />
          <AccountMenu />
        </div>
      </header>
      <main id="page" tabIndex={-1}>
        <Heading title={title} />
        {children}
      </main>
      <footer>
        Virtual money. Charts by <a href="https://www.tradingview.com/">TradingView</a> lightweight-charts, © TradingView, Inc. ·{' '}
        <a href="/docs">API documentation</a> · <a href="/status">Status</a> · Keys: <kbd>?</kbd>
      </footer>
    </div>
  );
}

const isHere = ({ to, below = to }: PageLink): boolean => address.value.startsWith(below);

function Links({ links = PAGE_LINKS }: { readonly links?: readonly PageLink[] }) {
  return (
    <>
      {links.map((link) => (
        <a key={link.to} href={link.to} class={link.isRare && 'rare'} aria-current={isHere(link) ? 'page' : undefined}>
          {link.name}
        </a>
      ))}
    </>
  );
}

const RARE = PAGE_LINKS.filter(({ isRare }) => isRare);

/** What the line has no room for; it says which of them is shown. */
function More() {
  return (
    <Menu button={`${RARE.find(isHere)?.name ?? 'More'} ▾`} class="more">
      <Links links={RARE} />
    </Menu>
  );
}
