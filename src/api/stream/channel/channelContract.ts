// A channel as the published document describes it. It stands beside the channel's code, and is made of the schema
// that reads the subscription and of the schemas of the `info` answers on the same subject.
import type { TObject, TSchema } from '@sinclair/typebox';

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

/** A channel's own part of its contract. */
interface ChannelContractDetails extends Omit<ChannelContract, 'type' | 'subscription' | 'example'> {
  /** Fields of a subscription beside `type`. */
  readonly example?: object;
}

/** @param reader the reader of its subscriptions */
export function channelContract(reader: { readonly schema: TObject }, told: ChannelContractDetails): ChannelContract {
  const { schema } = reader;
  const type: string = schema.properties['type']?.['const'];
  return { type, subscription: schema, ...told, example: { type, ...told.example } };
}
