// An emulated venue for tests, in the test's own process: quiet by default, so that nothing moves unless a test moves it.
import type { ControlOperation } from '../../src/market/emulator/control.ts';
import { startEmulator as start } from '../../src/market/emulator/role.ts';

export interface TestMarket {
  /** Base address, for MARKET_URL. */
  readonly url: string;
  /** Pushes books, trades and prices; the frames have been sent when it resolves. @throws Error with the refusal */
  control(operation: ControlOperation): Promise<void>;
  stop(): Promise<void>;
}

/** @param options.quiet coins stand still at their recorded prices (default true) */
export async function startEmulator(options: { seed?: number; quiet?: boolean; port?: number } = {}): Promise<TestMarket> {
  const { seed = 1, quiet = true, port = 0 } = options;
  const emulator = await start({ port, seed, isQuiet: quiet, now: Date.now });
  return {
    url: emulator.url,
    control: (operation) => control(emulator.url, operation),
    stop: () => emulator.stop(),
  };
}

/** Sends one control call to an emulator that runs anywhere on this machine. */
export async function control(url: string, operation: ControlOperation): Promise<void> {
  // A connection of its own: the other side may close a reused connection at the moment of its use.
  const headers = { connection: 'close', 'x-control': '1' };
  const response = await fetch(`${url}/control`, { method: 'POST', headers, body: JSON.stringify(operation) });
  if (!response.ok) throw new Error(`control ${operation.op}: ${await response.text()}`);
}
