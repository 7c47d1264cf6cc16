// What a process does before its first role starts: it compares itself with the deployment's record and announces
// that it lives. From then on it knows which generation of stored forms may be written.
import type { ClockWatch } from '../clock/clockWatch.ts';
import type { ExchangeClock } from '../clock/exchangeClock.ts';
import { type FormatSource, NEWEST_FORMAT } from '../domain/formats.ts';
import type { Redis } from '../redis/redis.ts';
import { claimDeployment, type DeploymentParts } from './claimDeployment.ts';
import { WrongDeployment } from './deploymentRecord.ts';
import { Membership } from './membership.ts';

export interface JoinParts extends DeploymentParts {
  readonly clock: ExchangeClock;
  readonly clockWatch: ClockWatch;
  readonly nodeId: string;
  readonly roles: readonly string[];
}

export interface Joined {
  readonly formats: FormatSource;
  stop(): Promise<void>;
}

/**
 * @param parts.onRefused the process has to end, with this error, although it has joined
 * @throws {WrongDeployment} when it may not join
 */
export async function joinDeployment(parts: JoinParts): Promise<Joined> {
  const { roles, onRefused } = parts;
  await refuseClusterNode(parts.redis);
  const claim = await claimDeployment(parts);
  const { formats } = claim.record;
  if (formats > NEWEST_FORMAT && !canStandBy(roles)) throw leftBehind(formats);
  const membership = new Membership(
    {
      ...parts,
      onReplaced: onRefused,
      onLeftBehind: (recorded) => {
        if (!canStandBy(roles)) onRefused(leftBehind(recorded));
      },
    },
    claim.record,
  );
  try {
    await membership.start();
  } catch (error) {
    claim.stop();
    throw error;
  }
  return {
    formats: membership,
    stop: () => {
      claim.stop();
      return membership.stop();
    },
  };
}

/** Actor pods alone take no shard and wait; every other role would work on what it cannot read. */
const canStandBy = (roles: readonly string[]): boolean => roles.every((role) => role === 'actors');

const leftBehind = (recorded: number): WrongDeployment =>
  new WrongDeployment(
    `This deployment writes stored forms of generation ${recorded} and this build reads up to ${NEWEST_FORMAT}: run a newer build.`,
  );

/**
 * A node of a Redis Cluster that is given like a server of its own answers some commands and refuses others: a process would half work.
 * @throws {WrongDeployment} when the connection is to one server, and that is a node of a cluster
 */
async function refuseClusterNode(redis: Redis): Promise<void> {
  if (redis.isCluster || !/cluster_enabled:1/.test(await redis.info('cluster'))) return;
  throw new WrongDeployment(
    'REDIS_URL names a node of a Redis Cluster like a server of its own. Write redis+cluster://host:port, or several of its nodes with commas between them.',
  );
}
