// The way of an API node to the accounts. Commands go into their mailboxes, questions to the node's views first. Replies come back on
// a channel of the node's own.
import type { LiveMarket } from '../market/domain/liveMarket.ts';
import type { Closing, RoleParts } from '../shared/deployment/role.ts';
import { openSubscriber } from '../shared/redis/channels.ts';
import type { AccountGateway } from './accounts/accountGateway.ts';
import { CommandGateway } from './accounts/gateway/commandGateway.ts';
import { DeepLook } from './accounts/gateway/deepLook.ts';
import { HistoryReader } from './accounts/historyReader.ts';
import { type AccountReading, createAccountReading } from './accounts/views/accountReading.ts';
import type { ViewRules } from './accounts/views/accountView.ts';

export interface NodeAccounts extends Closing {
  /** Of all callers. It looks at a deeper book before an order that goes through the displayed one. */
  readonly gateway: AccountGateway;
  readonly deep: Pick<DeepLook, 'lookDeeper'>;
  readonly historyOf: AccountReading['historyOf'];
  /** Rows of entries that the accounts no longer hold. */
  readonly history: Pick<HistoryReader, 'stored'>;
  /** Commands without an answer so far. */
  readonly waiting: () => number;
  start(): Promise<void>;
}

export function openAccounts(parts: RoleParts, market: LiveMarket, rules: ViewRules): NodeAccounts {
  const { config, log, redis, subscriberFactory, mongo, formats, now, realNow, registry } = parts;
  const { connection: subscriber, close } = openSubscriber(redis, () => subscriberFactory('replies'));
  const deep = new DeepLook({ redis, market, log, now, realNow });
  const commands = new CommandGateway({
    ...{ redis, subscriber, nodeId: config.NODE_ID, config, log, formats, realNow },
    before(accountId, command, { user }) {
      if (command.type !== 'query') views.onCommand(accountId);
      return deep.before(user ?? accountId, command);
    },
  });
  const { views, historyOf } = createAccountReading({
    ...{ gateway: commands, replies: commands.replies, redis, mongo, rules, market, config, now, log, registry },
  });
  const gateway: AccountGateway = { send: commands.send.bind(commands), ask: views.ask.bind(views) };
  return {
    ...{ gateway, deep, historyOf, history: new HistoryReader({ gateway, mongo }) },
    waiting: () => commands.waiting,
    start: () => commands.start(),
    async stop() {
      await commands.stop();
      close();
    },
  };
}
