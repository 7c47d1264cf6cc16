// The exchange behind a server of the venue's protocol: the emulated venue, or a recording that is played.
import type { Body } from './request.ts';

/** A subscription with its defaults and without unknown fields. */
export type Subscription = Pick<Body, 'coin' | 'nSigFigs' | 'mantissa' | 'interval' | 'user'> & {
  readonly type: string;
  readonly fast?: boolean;
};

export interface Exchange {
  /** Whether channels of addresses can be subscribed to. */
  readonly hasUsers: boolean;
  hasCoin(coin: string): boolean;
  /** Answers an `info` request. @throws {UnreadableRequest} for a request that the venue cannot read */
  info(body: unknown): Promise<unknown>;
  /** Data of the first frame after subscribing, also what is pushed where frames are derived; undefined: none. */
  snapshot(subscription: Subscription): unknown;
}

/** A frame as it is pushed. `data` is called only when a client is subscribed. */
export interface Frame {
  readonly channel: string;
  readonly coin: string | undefined;
  /** Of a channel of an address, in lower case. */
  readonly user?: string;
  readonly data: () => unknown;
}
