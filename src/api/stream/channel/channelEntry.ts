// A channel as its file gives it: what the published document says of it, what a subscription to it costs, and the channel itself. The
// document is made of the schema that reads the subscription and of the schemas of the `info` answers on the same subject.
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Channel } from './channel.ts';

export interface ChannelContract {
  readonly type: string;
  /** The schema of a whole subscription. */
  readonly subscription: TObject;
  readonly about: string;
  /** `data` of its messages, by the name of the channel that they come on. */
  readonly messages: Readonly<Record<string, TSchema>>;
  /** Of a private channel: some messages are about no journal entry and have no `seq`. */
  readonly hasMessagesWithoutSeq?: true;
  /** A subscription, as a client may send it. */
  readonly example: object;
}

/** `Parts` is what the channel needs of the node. */
export interface ChannelEntry<Parts> extends ChannelContract {
  /**
   * What a subscription costs: the weight of the `info` question whose answer it begins with. Each subscription pays it, so that
   * leaving and subscribing again is no cheaper than asking again. Refresh intervals bound the states that come afterwards; the
   * account's own acts bound its events.
   */
  readonly weight: number;
  readonly create: (parts: Parts) => Channel;
}

/** A channel's own part of its entry. */
interface ChannelDetails<Parts> extends Omit<ChannelEntry<Parts>, 'type' | 'subscription' | 'example'> {
  /** Fields of a subscription beside `type`. */
  readonly example?: object;
}

/** @param reader the reader of its subscriptions */
export function channel<Parts>(reader: { readonly schema: TObject }, own: ChannelDetails<Parts>): ChannelEntry<Parts> {
  const { schema } = reader;
  const type: string = schema.properties['type']?.['const'];
  return { type, subscription: schema, ...own, example: { type, ...own.example } };
}
