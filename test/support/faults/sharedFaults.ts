// Exchanges that the fault scenarios of several files share.
import { WITH_SETTABLE_CLOCK } from '../roleProcess.ts';
import { Shared } from '../shared.ts';
import { socketUrl } from '../stores.ts';
import { TcpProxy } from '../tcpProxy.ts';
import { FaultStack } from './faultStack.ts';

/** One with stores that keep what they have on disk, for scenarios that leave it unchanged. Its Redis is reached by a socket. */
export const sharedFaults = new Shared(() => FaultStack.start({ redisThrough: async (_url, store) => socketUrl(store) }));

/** A test can cut the ways between its processes and the stores, and set the clocks of its machines. */
export interface RemoteFaults {
  readonly faults: FaultStack;
  readonly redisWay: TcpProxy;
  readonly mongoWay: TcpProxy;
  stop(): Promise<void>;
}

/** One whose Redis writes before it answers. */
export const remoteFaults = new Shared(async (): Promise<RemoteFaults> => {
  let redisWay: TcpProxy | undefined;
  let mongoWay: TcpProxy | undefined;
  const entry = WITH_SETTABLE_CLOCK;
  const faults = await FaultStack.start({
    ...{ jobs: 1, durability: 'always', mongoInMemory: true },
    entries: { api: entry, actors: entry, market: entry, jobs: entry },
    redisThrough: async (url) => {
      redisWay = await TcpProxy.start(Number(new URL(url).port));
      return `redis://127.0.0.1:${redisWay.port}`;
    },
    mongoThrough: async (url) => {
      mongoWay = await TcpProxy.start(Number(new URL(url).port));
      return `mongodb://127.0.0.1:${mongoWay.port}`;
    },
  });
  if (redisWay === undefined || mongoWay === undefined) throw new Error('the exchange was started without its proxies');
  const ways = [redisWay, mongoWay];
  return {
    ...{ faults, redisWay, mongoWay },
    stop: async () => {
      await faults.stop();
      await Promise.all(ways.map((way) => way.close()));
    },
  };
});
