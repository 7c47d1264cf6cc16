// Makes the divergence report of a mirrored account: each fill of its address beside what was filled here, a page of them, and the sums.
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import { toWire } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { askWithSeq } from '../accounts/accountQuery.ts';
import type { Call, Services } from '../accounts/services.ts';
import type { AnswerFor } from '../contract/answerValues.ts';
import { inPieces } from '../dashboard/readRowsSince.ts';
import { Sum } from '../domain/divergence/causes.ts';
import type { FollowedFill } from '../domain/divergence/followed.ts';
import { wireNumber } from '../domain/wireText.ts';
import type { DivergenceReport } from './divergenceSchema.ts';
import { type FollowedEntries, READ_MAX, type ReadBounds, readFollowed } from './followedEntries.ts';
import { toDivergenceRow, toDivergenceSums } from './toDivergence.ts';

/** Fills of one answer, about a kilobyte each; those that were heard in one millisecond are not parted. */
const ROWS_MAX = 200;

export interface DivergenceParts {
  readonly services: Pick<Services, 'gateway' | 'now'>;
  readonly mongo: MongoConnection;
  readonly bounds?: ReadBounds;
  readonly rowsMax?: number;
}

/** @throws {RequestError} 404 `unknown_mirror`; 503, and as the gateway does */
export async function readDivergence(
  { services, mongo, bounds = READ_MAX, rowsMax = ROWS_MAX }: DivergenceParts,
  call: Call,
  sinceMs: number | undefined,
): Promise<AnswerFor<typeof DivergenceReport>> {
  const nowMs = services.now();
  const { answer, seq } = await askWithSeq(call, services, { kind: 'groupMember' });
  const { source, scale } = importOf(answer);
  const account = call.caller.accountId;
  const parts = { services, mongo, call, newest: new Map([[account, seq]]), beginningOf: () => undefined };
  const read = await readFollowed(parts, { scale, sinceMs, bounds });
  const { followed, untilMs } = read;
  const [page, total] = [new Sum(), new Sum()];
  const { fills, next } = pageOf(read, sinceMs, rowsMax);
  await inPieces(upTo(followed.fills, untilMs), (piece) => addAll(total, piece, read));
  await inPieces(fills, (piece) => addAll(page, piece, read));
  return {
    ...{ account, address: source, scale: wireNumber(scale) },
    fills: fills.map((fill) => toDivergenceRow(fill, followed.compared(fill))),
    page: toDivergenceSums(page),
    total: toDivergenceSums(total),
    unclaimed_usd: toWire(followed.unclaimedUsd),
    begins: read.begins,
    from: read.fromMs === undefined ? null : iso(read.fromMs),
    to: iso(untilMs ?? nowMs),
    complete: untilMs === undefined,
    next: next === undefined ? null : iso(next),
    ...{ entries_read: read.entries, entries_lost: read.lost },
  };
}

function importOf({ imported }: AnswerOf<'groupMember'>) {
  if (imported !== undefined) return imported;
  throw new RequestError(404, 'unknown_mirror', 'The account did not begin with an address of the venue.');
}

function pageOf({ followed, untilMs }: FollowedEntries, sinceMs: number | undefined, rowsMax: number) {
  const heard = upTo(followed.fills, untilMs).filter(({ heardMs }) => heardMs > (sinceMs ?? -1));
  const lastMs = heard[rowsMax - 1]?.heardMs;
  const fills = upTo(heard, lastMs);
  return { fills, next: fills.length < heard.length ? lastMs : untilMs };
}

/** Times of entries do not fall. */
const upTo = (fills: readonly FollowedFill[], timeMs: number | undefined): readonly FollowedFill[] =>
  timeMs === undefined ? fills : fills.filter(({ heardMs }) => heardMs <= timeMs);

function addAll(sum: Sum, fills: readonly FollowedFill[], { followed }: FollowedEntries): void {
  for (const fill of fills) {
    if (fill.copied === 'unread') sum.addUnread();
    else sum.add(followed.compared(fill));
  }
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
