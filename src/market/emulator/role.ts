// The emulated venue behind a server of the venue's protocol.

import type { Role, RoleParts } from '../../shared/deployment/role.ts';
import { ExchangeSubscriptions } from '../venue/subscriptions.ts';
import { startVenueServer } from '../venue/venueServer.ts';
import { type ControlOperation, control } from './control.ts';
import { toWireFrame } from './info.ts';
import { Venue } from './venue.ts';

export interface Emulator {
  readonly url: string;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly seed: number;
  readonly isQuiet: boolean;
  /** When the seed's market is at its beginning; undefined: it goes by the calendar. */
  readonly beginsMs?: number;
  readonly now: () => number;
}

/** Starts the emulated venue on the loopback address. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { port, now } = options;
  const venue: Venue = new Venue({
    ...options,
    emit: (channel, coin, data) => subscriptions.push({ channel, coin, data: () => toWireFrame(channel, coin, data) }),
    emitOfUser: (channel, user, data) => subscriptions.push({ channel, coin: undefined, user, data: () => data }),
  });
  const subscriptions = new ExchangeSubscriptions(venue);
  const server = await startVenueServer({
    exchange: venue,
    subscriptions,
    port,
    now,
    onControl: (body) => control(venue, server, body as ControlOperation),
  });
  venue.start();
  return {
    url: server.url,
    stop: async () => {
      venue.stop();
      await server.stop();
    },
  };
}

// The role `emulator`: the emulated venue in a process of the exchange, at the port of MARKET_URL. `bin/start --ci` runs all roles in one
// process so. It takes part in nothing else: the market's leader connects to it as to any venue.

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
