// What this browser keeps for the page. Nothing in it is secret.

/** @returns undefined where the browser keeps nothing: it throws at the mention of it then */
export function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
