// A mirror as endpoints answer it.
import { Type } from '@sinclair/typebox';
import { Address, type AnswerFor, exactly, IsoTime, orNull, WireDecimal, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { wireNumber } from '../domain/wireText.ts';
import { WholeNumber } from '../http/requestReader.ts';
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
    connected: described(
      Type.Boolean(),
      'Whether the connection is open on which the venue tells of the address. False within MARKET_LEASE_TTL_MS after the node that has it died.',
    ),
    connected_since: described(orNull(IsoTime), 'Since when; null: it is not open.'),
    heard: described(
      orNull(IsoTime),
      'When the venue was last heard on it, up to a third of MARKET_LEASE_TTL_MS late; null: never, or more than a day ago.',
    ),
    caught_up: described(Type.Boolean(), 'What was missed before the connection opened has been made up for.'),
    copies: described(WholeNumber, 'Open orders of the address that have a copy here, or had one that is over already.'),
  }),
);

export function toMirrorAnswer({ document, following, hearing }: Mirror): AnswerFor<typeof MirrorAnswer> {
  const { account, source, scale, sinceMs } = document;
  return {
    ...{ account, address: source, scale: wireNumber(scale) },
    state: following === undefined ? 'starting' : 'following',
    since: new Date(following?.sinceMs ?? sinceMs).toISOString(),
    through: following === undefined ? null : new Date(following.throughMs).toISOString(),
    connected: hearing.connectedSinceMs !== null,
    ...{ connected_since: iso(hearing.connectedSinceMs), heard: iso(hearing.heardMs), caught_up: hearing.isCaughtUp },
    copies: following?.copies ?? 0,
  };
}

const iso = (timeMs: number | null): string | null => (timeMs === null ? null : new Date(timeMs).toISOString());

export const OneMirror = exactly({ message: Type.String(), mirror: MirrorAnswer });
