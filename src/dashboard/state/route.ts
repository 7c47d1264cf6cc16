// Where the reader is. Links are real links: a click on one of this page's own changes the address without loading the page
// anew, and the browser's Back works.
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
