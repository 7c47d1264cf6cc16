// The way of an API node to the accounts. Commands go into their mailboxes, questions to the node's views first. Replies come back on
// a channel of the node's own.
import type { LiveMarket } from '../market/domain/liveMarket.ts';
import type { Closing, RoleParts } from '../shared/deployment/role.ts';
import { openSubscriber } from '../shared/redis/channels.ts';
import { AccountCommands } from './accounts/accountCommands.ts';
import type { AccountGateway } from './accounts/accountGateway.ts';
import { CommandGateway } from './accounts/gateway/commandGateway.ts';
import { DeepLook } from './accounts/gateway/deepLook.ts';
import { HistoryReader } from './accounts/historyReader.ts';
import { type AccountReading, createAccountReading } from './accounts/views/accountReading.ts';

export interface NodeAccounts extends Closing {
  /** Sends to the accounts' owners. */
  readonly accounts: AccountCommands;
  /** The same, but views answer questions. */
  readonly views: AccountGateway;
  /** The same as `views`, with a look at a deeper book before an order that goes through the displayed one. */
  readonly deep: AccountGateway & Pick<DeepLook, 'lookDeeper'>;
  readonly historyOf: AccountReading['historyOf'];
  /** Rows of entries that the accounts no longer hold. */
  readonly history: Pick<HistoryReader, 'stored'>;
  /** Commands without an answer so far. */
  readonly waiting: () => number;
  start(): Promise<void>;
}

export function openAccounts(parts: RoleParts, market: LiveMarket): NodeAccounts {
  const { config, log, redis, subscriberFactory, mongo, formats, now, realNow, registry } = parts;
  const { connection: subscriber, close } = openSubscriber(redis, () => subscriberFactory('replies'));
  const gateway = new CommandGateway({ redis, subscriber, nodeId: config.NODE_ID, config, log, formats, realNow });
  const accounts = new AccountCommands(gateway);
  const { views, historyOf } = createAccountReading({
    ...{ gateway: accounts, replies: gateway.replies, redis, mongo, market, config, now, log, registry },
  });
  return {
    ...{ accounts, views, historyOf, history: new HistoryReader({ gateway: accounts, mongo }) },
    deep: new DeepLook({ gateway: views, redis, market, log, now, realNow }),
    waiting: () => gateway.waiting,
    start: () => gateway.start(),
    async stop() {
      await gateway.stop();
      close();
    },
  };
}
