// A mirror as endpoints answer it.
import { Type } from '@sinclair/typebox';
import { Address, type AnswerFor, exactly, IsoTime, orNull, WireDecimal, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { WholeNumber } from '../http/requestReader.ts';
import { wireNumber } from '../http/wireText.ts';
import type { Mirror } from './mirrors.ts';

export const MirrorAnswer = named(
  'Mirror',
  exactly({
    account: described(Address, 'The sub-account.'),
    address: described(Address, 'Of the venue.'),
    scale: WireDecimal,
    state: described(
      named('MirrorState', words('starting', 'following')),
      '`starting`: the account has not begun to follow; the service goes on with it by itself.',
    ),
    since: described(IsoTime, 'Fills of the address count from this time of the venue on.'),
    through: described(
      orNull(IsoTime),
      'The newest fill of the address that the account has heard of, or `since`; null while it starts.',
    ),
    copies: described(WholeNumber, 'Open orders of the address that have a copy here, or had one that is over already.'),
  }),
);

export function toMirrorAnswer({ document, following }: Mirror): AnswerFor<typeof MirrorAnswer> {
  const { account, source, scale, sinceMs } = document;
  return {
    ...{ account, address: source, scale: wireNumber(scale) },
    state: following === undefined ? 'starting' : 'following',
    since: new Date(following?.sinceMs ?? sinceMs).toISOString(),
    through: following === undefined ? null : new Date(following.throughMs).toISOString(),
    copies: following?.copies ?? 0,
  };
}

export const OneMirror = exactly({ message: Type.String(), mirror: MirrorAnswer });
