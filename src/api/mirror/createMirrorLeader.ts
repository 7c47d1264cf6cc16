// Makes what follows the mirrored addresses, where the service has mirrors.
import { randomBytes } from 'node:crypto';
import type { UserStore } from '../../shared/mongo/userStore.ts';
import type { RoleParts } from '../../shared/role.ts';
import type { FreshQuestions } from '../../shared/venue/freshQuestions.ts';
import { MIRROR_LIMITS, NO_LIMITS, OpeningPace } from '../../shared/venue/openingPace.ts';
import { MirrorLeader } from './mirrorLeader.ts';
import { MirrorLease } from './mirrorLease.ts';
import type { Mirrors } from './mirrors.ts';

interface Parts {
  readonly mirrors: Mirrors;
  readonly users: UserStore;
  readonly venue: FreshQuestions;
}

export function createMirrorLeader({ config, log, redis, now }: RoleParts, parts: Parts): MirrorLeader | undefined {
  if (config.MIRRORS_MAX === 0) return undefined;
  const token = `${config.NODE_ID}:${randomBytes(8).toString('hex')}`;
  const lease = new MirrorLease({ redis, token, ttlMs: config.MARKET_LEASE_TTL_MS });
  const pace = new OpeningPace(config.MARKET_SOURCE === 'live' ? MIRROR_LIMITS : NO_LIMITS, Math.random);
  return new MirrorLeader({ ...parts, config, log, redis, lease, pace, now });
}
