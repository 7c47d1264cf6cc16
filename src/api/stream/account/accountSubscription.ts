// The fields that every subscription to an account may have.
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { Call } from '../../accounts/services.ts';
import { described } from '../../contract/described.ts';
import { AddressText, absentOr, WholeNumber } from '../../http/requestReader.ts';
import type { Subscription } from '../channel/channel.ts';
import { type SubscriptionReader, type SubscriptionTo, subscriptionReader } from '../subscriptionReader.ts';

export interface AccountSubscription extends Subscription {
  /** An account of the key's user, or any other address for the key's own account. */
  readonly user?: string | null;
  /** Sequence number of the last message that the client has: later messages are sent first. */
  readonly fromSeq?: number | null;
  /** Snapshots name the hash of the state that they show. */
  readonly stateHash?: boolean | null;
}

const ACCOUNT_FIELDS = {
  user: described(
    absentOr(AddressText),
    'The master account or a sub-account of the key’s user; for any other address, and without one, it is the key’s own account. Echoed.',
  ),
  fromSeq: described(
    absentOr(WholeNumber),
    'Sequence number of the last message that the client has: all later ones come first, in place of a snapshot.',
  ),
  stateHash: described(
    absentOr(Type.Boolean({ expected: 'a boolean' })),
    'With true each snapshot has `stateHash`, which names the state of the account at its `seq`.',
  ),
};

/** Of a state that is sent at intervals, too. */
export interface StateSubscription extends AccountSubscription {
  /** A state that equals the last one sent is not sent. */
  readonly onlyChanges?: boolean | null;
}

/** Further fields of a channel of states. */
export const STATE_FIELDS = {
  onlyChanges: described(
    absentOr(Type.Boolean({ expected: 'a boolean' })),
    'With true a state is sent only when its `data` is another than that of the last message. Without it, it comes every few seconds, too.',
  ),
};

type AccountFields = typeof ACCOUNT_FIELDS;

/** @returns a reader as `subscriptionReader` makes it; the address is repeated in lower case */
export function accountReader<T extends string, F extends TProperties>(
  type: T,
  fields: F,
  defaults: Partial<Static<TObject<F & AccountFields>>> = {},
): SubscriptionReader<SubscriptionTo<T, F & AccountFields>> {
  const read = subscriptionReader<T, F & AccountFields>(type, { ...ACCOUNT_FIELDS, ...fields }, defaults);
  const readAddress = (sent: object) => {
    const subscription = read(sent);
    const { user } = subscription as AccountSubscription;
    return user == null ? subscription : { ...subscription, user: user.toLowerCase() };
  };
  return Object.assign(readAddress, { schema: read.schema });
}

/** The address in messages: the requested one, because clients route by it; else the account's own. */
export const addressOf = ({ user }: AccountSubscription, { caller }: Call): string => user ?? caller.address;
