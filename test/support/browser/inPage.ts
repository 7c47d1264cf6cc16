// What tests run inside the page. Playwright sends these functions as text, so each stands alone. They read the document; they
// never change it.

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

declare const document: { readonly documentElement: Box };
declare const localStorage: { getItem(name: string): string | null; setItem(name: string, value: string): void };

/** How many pixels of the page lie beside the screen. */
export const widthBesideScreen = (): number => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** Chooses the theme as the reader would have done before. */
export const keepTheme = (theme: string): void => localStorage.setItem('theme', theme);
