// The role `emulator`: the emulated venue in a process of the exchange, at the port of MARKET_URL. `bin/start --ci` runs all roles in one
// process so. It takes part in nothing else: the market's leader connects to it as to any venue.
import type { Role, RoleParts } from '../../shared/deployment/role.ts';
import { startEmulator } from './server.ts';

/** @throws Error when its port is taken */
export async function startEmulatorRole({ config }: Pick<RoleParts, 'config'>): Promise<Role> {
  const { MARKET_URL, EMULATOR_SEED, EMULATOR_BEGINS_MS, EMULATOR_STILL } = config;
  const emulator = await startEmulator({
    port: Number(new URL(MARKET_URL).port),
    seed: EMULATOR_SEED,
    isQuiet: EMULATOR_STILL === 'yes',
    ...(EMULATOR_BEGINS_MS > 0 && { beginsMs: EMULATOR_BEGINS_MS }),
    now: Date.now,
  });
  return { whyNotReady: () => [], stop: () => emulator.stop() };
}
