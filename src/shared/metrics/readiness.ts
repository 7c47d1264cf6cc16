// Whether a process has taken up its work, so that processes can be replaced one by one: each role says why it has not, in words for
// an operator. It is not /health, which tells of the whole service: a process is ready while others are not.

/** Why a role has not taken up its work; none = it has. */
export type WhyNotReady = () => readonly string[] | Promise<readonly string[]>;

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly reasons: readonly string[];
  /** Of a process that was asked to leave: whether others have what it owned. */
  readonly leaving?: 'underWay' | 'done';
}

/** Tells whether the process was asked to stop, or to leave. */
interface Asked {
  readonly isStopping: () => boolean;
  readonly leaving: () => Readiness['leaving'];
}

/** Ready when all roles of the process are, until it is asked to leave or to stop. */
export async function readinessOf(roles: readonly WhyNotReady[], asked: Asked): Promise<Readiness> {
  const leaving = asked.leaving();
  const isLeaving = leaving && { leaving };
  if (asked.isStopping()) return { ...toReadiness(['The process stops']), ...isLeaving };
  if (isLeaving) return { ...toReadiness(['The process leaves: it waits for its end']), ...isLeaving };
  return toReadiness((await Promise.all(roles.map((whyNotReady) => whyNotReady()))).flat());
}

export const toReadiness = (reasons: readonly string[]): Readiness => ({
  status: reasons.length === 0 ? 'ready' : 'not_ready',
  reasons,
});
