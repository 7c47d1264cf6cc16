// Runs a scenario: each task at its time of the exchange's clock, which is set ahead to it, so that all that becomes due in between is done.
// A call works a bounded time. What was done stays done when it ends early, and the error says at which step that was.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { type LabSettings, readLab } from '../../api/accounts/labFields.ts';
import { bound } from '../../api/auth/keys/keyLimitFields.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { recordAudit } from '../../api/http/audited.ts';
import { unreadable } from '../../api/http/requestReader.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { RequestError } from '../../shared/errors.ts';
import type { ControlAnswer, MarketControl, ScenarioControl } from './controlBody.ts';
import { readScenario } from './scenarioFile.ts';
import { type TimedTask, toTasks } from './scenarioSteps.ts';

/**
 * Longest that one call works, ms: no action is begun afterwards, and a way that is unfinished then is left where it is. That may be a minute
 * later, and `fetch` of Node gives a call up that has had no answer for 300 s: its client would not be told where the scenario is.
 */
export const WORK_MS_MAX = 220_000;
const AGAIN_MS = 200;

interface ScenarioParts {
  readonly market: Pick<LiveMarket, 'assetOf' | 'contextOf'>;
  /** Exchange time, ms. */
  readonly now: () => number;
  readonly advance: (ms: number, name: string) => Promise<ControlAnswer>;
  readonly control: (control: MarketControl) => Promise<ControlAnswer>;
  /** Sets the failure lab of the caller's key, or ends it; undefined where the caller has no key. */
  readonly setLab: ((lab: LabSettings | undefined) => Promise<void>) | undefined;
  /** Real time that has passed, ms. */
  readonly elapsed?: () => number;
}

/** @throws {RequestError} 400 when the file is wrong, and nothing was done; as of its actions otherwise, with the step */
export async function runScenario({ file, until, after }: ScenarioControl, parts: ScenarioParts): Promise<ControlAnswer> {
  const scenario = readScenario(file);
  const all = toTasks(scenario, parts.market, { after });
  const [from, to] = [
    after === undefined ? -1 : indexOf(all, after, 'after'),
    until === undefined ? all.length : indexOf(all, until, 'until'),
  ];
  if (until !== undefined && to <= from) throw unreadable('until must be the name of a step behind that of after');
  const begun = all.slice(0, from + 1);
  const tasks = (begun.length === 0 ? all : toTasks(scenario, parts.market, { after, begun })).slice(from + 1, to + 1);
  if (parts.setLab === undefined && tasks.some((task) => task.do === 'lab' || task.do === 'endLab')) {
    throw unreadable('the file has a step lab: it is run with the API key whose requests are to meet it');
  }
  const run = randomUUID();
  const elapsed = parts.elapsed ?? (() => performance.now());
  const deadlineMs = elapsed() + WORK_MS_MAX;
  const isLate = (): boolean => elapsed() >= deadlineMs;
  const beganMs = parts.now() - (all[from]?.atMs ?? 0);
  let shown = true;
  for (const [at, task] of tasks.entries()) {
    const where = `At steps[${task.step}] of the scenario, after ${at} of ${tasks.length} actions: `;
    if (isLate()) throw unfinished(where);
    try {
      const aheadMs = Math.ceil(beganMs + task.atMs - parts.now());
      if (aheadMs > 0) shown = (await advance(aheadMs, { name: `scenario:${run}:${at}`, isLate, parts })) && shown;
      shown = (await runTask(task, parts)) && shown;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.code === 'advance_unfinished') throw unfinished(where);
      throw new RequestError(error.status, error.code, `${where}${error.message}`, error.headers);
    }
  }
  return { status: 'ok', time: Math.floor(parts.now()), shown, scenario: { name: scenario.name, actions: tasks.length } };
}

const unfinished = (where: string): RequestError =>
  new RequestError(
    503,
    'scenario_unfinished',
    `${where}the call has worked for ${WORK_MS_MAX / 1000} s. What was done stays; \`after\` runs what is behind a step that has a name.`,
  );

function indexOf(tasks: readonly TimedTask[], name: string, field: string): number {
  const at = tasks.findIndex(({ as }) => as === name);
  if (at < 0) throw unreadable(`${field} must be the name (as) of a step of the file`);
  return at;
}

async function runTask(task: TimedTask, { control, setLab, now }: ScenarioParts): Promise<boolean> {
  switch (task.do) {
    case 'control':
      return (await control(task.control)).shown;
    case 'lab': {
      const window = task.forMs === undefined ? undefined : { from: new Date(now()).toISOString(), forMs: task.forMs };
      await setLab?.({ ...task.lab, ...(window && { schedule: [window] }) });
      return true;
    }
    case 'endLab':
      await setLab?.(undefined);
      return true;
    case 'wait':
      return true;
  }
}

/** A way that takes one call too long is gone on with, under the same name. */
async function advance(
  ms: number,
  { name, isLate, parts }: { readonly name: string; readonly isLate: () => boolean; readonly parts: ScenarioParts },
): Promise<boolean> {
  for (;;) {
    try {
      return (await parts.advance(ms, name)).shown;
    } catch (error) {
      const goesOn = error instanceof RequestError && error.code === 'advance_unfinished' && !isLate();
      if (!goesOn) throw error;
      await pause(AGAIN_MS);
    }
  }
}

const RUN_BYTES = 12;

/**
 * A scenario that makes a storm of 429 sets the failure lab of the API key that runs it, as its user would with
 * PUT …/api-keys/{id}/lab.
 * @returns undefined where no API key came: there is none that a lab could concern
 */
export function scenarioLab(
  ctx: Parameters<typeof recordAudit>[0] & RouteContext,
  parts: AuthParts,
): ((lab: LabSettings | undefined) => Promise<void>) | undefined {
  const caller = ctx.state.request.key?.caller;
  if (caller === undefined || caller.keyId === '') return undefined;
  const { userId, keyId } = caller;
  return async (lab) => {
    const profile = lab === undefined ? undefined : readLab(lab, randomBytes(RUN_BYTES).toString('hex'));
    const key = await parts.keys.setLab(userId, keyId, profile);
    if (key === null) throw new RequestError(404, 'unknown_api_key', 'The API key has been revoked.');
    await parts.credentials.applyChange(userId, [key.digest]);
    const act = { userId, action: 'api_key.changed', outcome: 'ok', detail: `${keyId} lab` } as const;
    await recordAudit(ctx, parts, { ...act, ...bound(key) });
  };
}
