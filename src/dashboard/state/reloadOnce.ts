// After an upgrade of the server a script of an open page may be gone: the page then loads itself anew, once.

/** Kept by the browser beyond the reload, for this tab. */
const RELOADED = 'reloadedForScript';

/** Loads the page anew. @returns false when that was done already, and has not helped */
export function reloadOnce(): boolean {
  if (sessionStorage.getItem(RELOADED) !== null) return false;
  sessionStorage.setItem(RELOADED, 'yes');
  location.reload();
  return true;
}

/** To be called when the script is there. */
export const scriptIsThere = (): void => sessionStorage.removeItem(RELOADED);
