// A channel as the published document tells of it. It stands beside the code that speaks, and is made of the schema that reads
// the subscription and of the schemas of what `info` answers about the same.
import type { TObject, TSchema } from '@sinclair/typebox';

export interface ChannelContract {
  readonly type: string;
  /** A subscription, whole. */
  readonly subscription: TObject;
  readonly about: string;
  /** `data` of its messages, by the name of the channel that they come on. */
  readonly messages: Readonly<Record<string, TSchema>>;
  /** Of a private channel: some messages tell of no entry of the journal, and have no `seq`. */
  readonly hasMessagesWithoutSeq?: true;
  /** A subscription, as a client may send it. */
  readonly example: object;
}

/** What a channel adds to what reads its subscriptions. */
interface ChannelContractDetails extends Omit<ChannelContract, 'type' | 'subscription' | 'example'> {
  /** Fields of a subscription beside `type`. */
  readonly example?: object;
}

/** @param reader what reads its subscriptions */
export function channelContract(reader: { readonly schema: TObject }, told: ChannelContractDetails): ChannelContract {
  const { schema } = reader;
  const type: string = schema.properties['type']?.['const'];
  return { type, subscription: schema, ...told, example: { type, ...told.example } };
}
