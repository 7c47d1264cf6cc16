// One Chromium for all tests of a run that look at pages: its start takes longer than most of them. Each test opens contexts in
// it, which share nothing.
import { type Browser, chromium } from 'playwright-core';

let starting: Promise<Browser> | undefined;

/** The browser of this run. @throws Error that says how one is had, when the machine has none */
export function openChromium(): Promise<Browser> {
  starting ??= launch();
  return starting;
}

/** Ends the browser, if it was opened. */
export async function closeChromium(): Promise<void> {
  const closing = starting;
  starting = undefined;
  await (await closing)?.close();
}

async function launch(): Promise<Browser> {
  const { findChromium } = await import(`../../../tools/test/${'chromium'}.mjs`);
  const executablePath: string | undefined = findChromium();
  if (executablePath === undefined) throw new Error('The browser tests need Chromium: install it, or name its file in CHROMIUM.');
  // Tests run as root in containers, where Chromium's own sandbox cannot be made.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--js-flags=--expose-gc'], timeout: 600_000 });
}
