// The frames around pages. A user's page has the figures of the account, the light of the connection, the source of the prices,
// notices, and the links to the other pages; a visitor's page has a heading alone.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { address } from '../../state/route.ts';
import { AccountMenu, AccountSwitcher } from './AccountMenu.tsx';
import { Bands } from './Bands.tsx';
import { Figures, isStateOld, StatusLight } from './Figures.tsx';
import { Menu } from './Menu.tsx';
import { Notices } from './Notices.tsx';
import { PAGE_LINKS, type PageLink } from './pageLinks.ts';

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

/** Links that the line has no room for; the button names the link of the shown page. */
function More() {
  return (
    <Menu button={`${RARE.find(isHere)?.name ?? 'More'} ▾`} class="more">
      <Links links={RARE} />
    </Menu>
  );
}

/** The frame of pages for visitors without a login. */
export function Entrance({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main id="page" class="entrance" tabIndex={-1}>
      <p class="brand">Paper perpetuals</p>
      <Heading title={title} />
      {children}
    </main>
  );
}

/**
 * A page's heading. It gets the focus when its page is shown, so that readers of a screen hear where they are, and names the
 * tab.
 */
function Heading({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${title} · Paper perpetuals`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}
