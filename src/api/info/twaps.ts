// The venue's answers about TWAPs: `twapHistory` and its other name, the running TWAPs, and the fills of their
// slices, which are in no other list of fills (wire-format 3.3).

import { Type } from '@sinclair/typebox';
import type { FillRow, TwapRow } from '../../actors/core/messages/historyRows.ts';
import type { TwapView } from '../../actors/core/messages/order.ts';
import { assert } from '../../shared/domain/assert.ts';
import { askAccount, type Call, type Services } from '../accounts/services.ts';
import { Count, exactly, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { Fill, TwapState } from '../contract/venueForms.ts';
import { QUESTION_OF_ROWS } from '../domain/requestPrice.ts';
import { toWireFill } from '../domain/wireFill.ts';
import { wireNumber, wireSide } from '../domain/wireText.ts';
import { absentOr, TimeMs } from '../http/requestReader.ts';
import { latestRows, rowsBetween } from './accountRows.ts';
import { accountType, askedUser, type InfoType } from './infoType.ts';

/** Of an answer and of the channels' first messages. */
export const TWAP_ROWS_MAX = 2000;

/** Changes of status, newest first: two for each TWAP that is over, three if it waited for its trigger. */
export const twapHistory = historyType('twapHistory');
/** The name under which the stream has it. */
export const userTwapHistory = historyType('userTwapHistory');

const SliceFills = Type.Array(named('TwapSliceFill', exactly({ fill: Fill, twapId: Count })));

const SLICE_FILLS = {
  about: 'Executions of TWAP slices, newest first, at most 2,000.',
  price: QUESTION_OF_ROWS,
  fields: {},
  answers: SliceFills,
};

export const userTwapSliceFills = accountType('userTwapSliceFills', SLICE_FILLS, async (_request, call, services) =>
  (await latestRows(call, services, { kind: 'twapFills', limit: TWAP_ROWS_MAX })).map(toSliceFill),
);

export const userTwapSliceFillsByTime = accountType(
  'userTwapSliceFillsByTime',
  {
    about: 'Executions of TWAP slices by time, oldest first, at most 2,000.',
    price: QUESTION_OF_ROWS,
    fields: {
      startTime: TimeMs,
      endTime: described(absentOr(TimeMs), 'Absent or `null` = now.'),
      aggregateByTime: described(
        absentOr(Type.Boolean({ expected: 'a boolean' })),
        "Accepted and without effect: a slice's fills are listed one by one.",
      ),
    },
    answers: SliceFills,
    example: { startTime: 1_795_000_000_000 },
  },
  async ({ startTime, endTime }, call, services) => {
    const range = { startMs: startTime, endMs: endTime ?? services.now(), limit: TWAP_ROWS_MAX };
    return (await rowsBetween(call, services, { kind: 'twapFills', ...range })).map(toSliceFill);
  },
);

export const RunningTwaps = Type.Array(Type.Tuple([Count, TwapState]));

/** Those that run or wait for their trigger, `[id, state]` each, oldest first. */
export async function readTwapStates(call: Call, services: Services, user: string) {
  const { twaps } = await askAccount(call, services, { kind: 'runningTwaps' });
  return twaps.map((twap) => [twap.twapId, toState(twap, user)] as const);
}

function historyType(type: string): InfoType {
  const contract = {
    about: 'Status changes of TWAPs, newest first: two for each that is over, three if it waited for its trigger.',
    price: QUESTION_OF_ROWS,
    fields: {},
    answers: Type.Array(
      named(
        'TwapChange',
        exactly({
          time: described(Count, 'SECONDS since the Unix epoch.'),
          state: TwapState,
          status: Type.Union([
            named('TwapFailure', exactly({ status: Type.Literal('error'), description: Type.String() })),
            named(
              'TwapStatus',
              exactly({
                status: named('TwapStatusName', words('activated', 'waitingForTrigger', 'finished', 'terminated', 'stopped')),
              }),
            ),
          ]),
          twapId: Count,
        }),
      ),
    ),
  };
  return accountType(type, contract, async (request, call, services) => {
    const rows = await latestRows(call, services, { kind: 'twaps', limit: TWAP_ROWS_MAX });
    return rows.map((row) => toChange(row, askedUser(request, call)));
  });
}

/** `time` is in seconds, all other times are in ms. */
export const toChange = ({ timeMs, twap, change }: TwapRow, user: string) => ({
  time: Math.floor(timeMs / 1000),
  state: toState(twap, user),
  status: change.status === 'error' ? { status: 'error' as const, description: change.text } : { status: change.status },
  twapId: twap.twapId,
});

const toState = (twap: TwapView, user: string) => ({
  coin: twap.coin,
  user,
  side: wireSide(twap.side),
  sz: wireNumber(twap.size),
  executedSz: wireNumber(twap.executedSize),
  executedNtl: wireNumber(twap.executedUsd),
  minutes: twap.minutes,
  reduceOnly: twap.reduceOnly,
  randomize: twap.randomize,
  timestamp: twap.startedAtMs,
  trigger: twap.trigger ? { px: wireNumber(twap.trigger.price), above: twap.trigger.above } : null,
  stopPx: twap.stopPrice === undefined ? null : wireNumber(twap.stopPrice),
});

/** The id stands beside the fill; in it the field is `null`, as in every fill. */
export function toSliceFill(fill: FillRow) {
  assert(fill.twapId !== undefined, `fill ${fill.tid} is of no TWAP`);
  return { fill: toWireFill(fill), twapId: fill.twapId };
}
