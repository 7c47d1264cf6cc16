// The sockets of an API node: its channels, the journals behind them, and the places of sockets among all nodes.
import type { RoleParts } from '../../shared/deployment/role.ts';
import type { AccountAnswers } from '../accounts/accountAnswers.ts';
import { Upgrades } from '../http/upgrades.ts';
import { AccountFeeds } from './account/accountFeeds.ts';
import { createChannels } from './allChannels.ts';
import type { MarketStream } from './channel/marketStream.ts';
import { SocketSlots } from './socketSlots.ts';
import { type StreamParts, StreamServer } from './streamServer.ts';

interface Given extends Pick<StreamParts, 'services' | 'admission' | 'credentials' | 'held'> {
  readonly answers: AccountAnswers;
  /** Tells of the market's changes. */
  readonly market: MarketStream;
  /** Names this process among all; absent: as the configuration does. */
  readonly nodeId: string | undefined;
}

export interface NodeStreams {
  readonly streams: StreamServer;
  /** Where requests become sockets. */
  readonly upgrades: Upgrades;
  stopStreams(): Promise<void>;
}

export function createStreams(parts: RoleParts, { answers, market, nodeId, ...given }: Given): NodeStreams {
  const { config, log, redis, subscriberFactory, now, tracing } = parts;
  const { services, admission, credentials, held } = given;
  const feeds = new AccountFeeds({ redis, subscriberFactory, config, log });
  const upgrades = new Upgrades();
  const streams = new StreamServer({
    ...{ services, admission, credentials, held, upgrades, now, tracing },
    channels: createChannels({ services, market, accounts: { answers, feeds } }),
    places: new SocketSlots({ redis, log, nodeId: nodeId ?? config.NODE_ID }),
  });
  return {
    ...{ streams, upgrades },
    async stopStreams() {
      await streams.stop();
      feeds.stop();
    },
  };
}
