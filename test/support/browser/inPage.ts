// What tests run inside the page. Playwright sends these functions as text, so each stands alone. They read the document; they
// never change it.

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

interface Named {
  readonly textContent: string | null;
  readonly labels?: Iterable<{ readonly textContent: string | null }> | null;
}

declare const document: { readonly documentElement: Box; readonly activeElement: Named | null };
declare const localStorage: { getItem(name: string): string | null; setItem(name: string, value: string): void };

/** How many pixels of the page lie beside the screen. */
export const widthBesideScreen = (): number => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** Chooses the theme as the reader would have done before. */
export const keepTheme = (theme: string): void => localStorage.setItem('theme', theme);

/** What the element with the focus is called. */
export const focusedText = (): string => {
  const element = document.activeElement;
  const [label] = element?.labels ?? [];
  return (label ?? element)?.textContent?.trim() ?? '';
};

/** Sends what a page of another site can send with a reader's cookies. */
export const crossSiteRequest = async (url: string): Promise<void> => {
  await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' });
};

/** Opens a socket as a page of another site can. @returns how it ended */
export const crossSiteSocket = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  });
