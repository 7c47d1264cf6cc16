// Makes what follows the mirrored addresses, where the service has mirrors.
import { randomBytes } from 'node:crypto';
import type { RoleParts } from '../../shared/deployment/role.ts';
import { MIRROR_LIMITS, NO_LIMITS, OpeningPace } from '../../shared/venue/venueSocket.ts';
import { MirrorLeader, type MirrorLeaderParts } from './mirrorLeader.ts';
import { MirrorLease } from './mirrorLease.ts';

type Parts = Pick<MirrorLeaderParts, 'mirrors' | 'users' | 'venue' | 'market' | 'deep'>;

export function createMirrorLeader({ config, log, redis, now }: RoleParts, parts: Parts): MirrorLeader | undefined {
  if (config.MIRRORS_MAX === 0) return undefined;
  const token = `${config.NODE_ID}:${randomBytes(8).toString('hex')}`;
  const lease = new MirrorLease({ redis, token, ttlMs: config.MARKET_LEASE_TTL_MS });
  const pace = new OpeningPace(config.MARKET_SOURCE === 'live' ? MIRROR_LIMITS : NO_LIMITS, Math.random);
  return new MirrorLeader({ ...parts, config, log, redis, lease, pace, now });
}
