// The private channels of events with one subscriber each, fed by hand, to measure the cost of an entry in each channel.
import { NO_ROWS } from '../../src/actors/core/messages/historyRows.ts';
import type { AccountAnswers } from '../../src/api/accounts/accountAnswers.ts';
import type { Call, Services } from '../../src/api/accounts/services.ts';
import type { AccountFeeds, AccountUpdate, UpdateListener } from '../../src/api/stream/account/accountFeeds.ts';
import type { Channel, Subscriber } from '../../src/api/stream/channel/channel.ts';
import { orderUpdates, userEvents } from '../../src/api/stream/channels/accountEvents.ts';
import { userFills, userHistoricalOrders } from '../../src/api/stream/channels/rowLists.ts';

export interface FedChannel {
  readonly type: string;
  /** Makes and sends the messages of an update as if it were the next update. */
  readonly tell: (update: AccountUpdate) => void;
}

export class EventChannels {
  readonly all: readonly FedChannel[];

  private constructor(all: readonly FedChannel[]) {
    this.all = all;
  }

  static async open(services: Services, call: Call): Promise<EventChannels> {
    const all: FedChannel[] = [];
    for (const { create } of [orderUpdates, userEvents, userFills, userHistoricalOrders]) {
      let listener: UpdateListener | undefined;
      const feeds = {
        listen: async (_accountId: string, listening: UpdateListener) => {
          listener = listening;
        },
        leave: () => undefined,
      };
      const entries = { kind: 'entries', seq: 0, entries: [], firstSeq: 0, lastGoneSeqs: NO_ROWS };
      const answers = {
        services,
        entries: async () => entries,
        read: async () => ({ data: {}, first: { seq: 0 }, last: { seq: 0 } }),
      };
      const channel: Channel = create({
        answers: answers as unknown as AccountAnswers,
        feeds: feeds as unknown as AccountFeeds,
      });
      const subscription = channel.read({ type: channel.type });
      (await channel.open(subscription, subscriberOf(call))).start();
      let seq = 0;
      all.push({ type: channel.type, tell: (update) => listener?.onUpdate({ ...update, seq: ++seq }) });
    }
    return new EventChannels(all);
  }
}

const subscriberOf = (call: Call): Subscriber => ({
  ...{ call: () => call, send: () => undefined, latest: () => undefined, seal: () => undefined, isSlow: () => false },
  ...{ waitForTurn: async () => () => undefined, pay: async () => undefined, close: () => undefined },
});
