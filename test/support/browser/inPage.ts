// Functions that tests run inside the page. Playwright sends these functions as text, so each stands alone.

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

interface Named {
  readonly textContent: string | null;
  readonly labels?: Iterable<{ readonly textContent: string | null }> | null;
}

interface Link {
  href: string;
  click(): void;
  remove(): void;
}

declare function requestAnimationFrame(draw: () => void): number;
declare const document: {
  readonly documentElement: Box;
  readonly activeElement: Named | null;
  readonly body: { append(link: Link): void };
  querySelectorAll(selector: string): Iterable<Named & { click(): void }>;
  createElement(name: 'a'): Link;
  querySelector(selector: string): (Named & { setAttribute(name: string, value: string): void }) | null;
};
declare class MutationObserver {
  constructor(onChange: () => void);
  observe(target: object, options: object): void;
  disconnect(): void;
}
declare const localStorage: { getItem(name: string): string | null; setItem(name: string, value: string): void };

/** How many pixels of the page lie beside the screen. */
export const widthBesideScreen = (): number => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** Chooses the theme as the reader would have done before. */
export const keepTheme = (theme: string): void => localStorage.setItem('theme', theme);

/** Marks the heading of the page that is left, and clicks a link to another one. */
export const clickLink = (path: string): void => {
  document.querySelector('h1')?.setAttribute('data-left', '');
  const link = document.createElement('a');
  link.href = path;
  document.body.append(link);
  link.click();
  link.remove();
};

/** The name of the element with the focus. */
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

/**
 * Resolves when the page has drawn the effects of a new window size. A browser that has no time may make no frame of a window that
 * nobody sees: then whoever measures the page has it laid out.
 */
export const isDrawnAnew = (): Promise<void> =>
  new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
    setTimeout(done, 20_000);
  });

/** Notes what a page says of a file that it reads; and presses Stop, where that is asked, as soon as it can be pressed. */
export const followReading = (stops: boolean): void => {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  const watcher = new MutationObserver(() => {
    const text = document.querySelector('main [role=status]')?.textContent ?? '';
    if (text.startsWith('Read: ') && said.at(-1) !== text) said.push(text);
    const stop = [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.trim() === 'Stop');
    if (!stops || stop === undefined) return;
    watcher.disconnect();
    stop.click();
  });
  watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
};

/** The notes of `followReading`. */
export const saidOfReading = (): string[] => (globalThis as unknown as { said: string[] }).said;
