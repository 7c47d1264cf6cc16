// The address of the page that is shown. Links are real links: a click on a link to another page changes the address without
// loading the page again, and the browser's Back works.
import { signal } from '@preact/signals';

const here = (): string => location.pathname + location.search;

/** Path and query of the page that is shown. */
export const address = signal(here());

/** Shows another page of the dashboard. @param options.replaces leaves no entry to go back to */
export function navigate(to: string, { replaces = false } = {}): void {
  if (replaces) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  address.value = here();
  scrollTo(0, 0);
}

/** Follows links and Back from now on. @param isOwn says of a path whether the dashboard has a page for it */
export function followLinks(isOwn: (path: string) => boolean): void {
  addEventListener('popstate', () => {
    address.value = here();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a');
    if (link === null || link.target !== '' || link.origin !== location.origin || !isOwn(link.pathname)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

/** Kept by the browser beyond the reload, for this tab. */
const RELOADED = 'reloadedForScript';

/**
 * Loads the page again, once: after an upgrade of the server a script of an open page may be gone. @returns false when that was
 * done already, and has not helped
 */
export function reloadOnce(): boolean {
  if (sessionStorage.getItem(RELOADED) !== null) return false;
  sessionStorage.setItem(RELOADED, 'yes');
  location.reload();
  return true;
}

/** To be called when the script is there. */
export const scriptIsThere = (): void => sessionStorage.removeItem(RELOADED);
