// How long one call of a scenario works: bounded, and what was done stays.
import { expect } from 'chai';
import { runScenario, WORK_MS_MAX } from '../../../src/features/control/runScenario.ts';
import { RequestError } from '../../../src/shared/errors.ts';

const MINUTE_MS = 60_000;
/** After which `fetch` of Node gives a call without an answer up. */
const FETCH_MS_MAX = 300_000;
const FILE =
  'name: long\nsteps:\n  - { action: pause }\n  - { at: 1h, as: middle, action: wait }\n  - { at: 2h, as: end, action: resume }\n';

describe('a scenario that works too long', () => {
  /** Each way takes as many calls of a minute as the test says. */
  const run = async (callsOfWays: readonly number[], part: { readonly until?: string; readonly after?: string } = {}) => {
    const [done, ways]: [string[], string[]] = [[], []];
    let [elapsedMs, nowMs, calls] = [0, 0, 0];
    const parts = {
      market: { assetOf: () => undefined, contextOf: () => undefined },
      now: () => nowMs,
      elapsed: () => elapsedMs,
      setLab: undefined,
      control: async ({ action }: { action: string }) => {
        done.push(action);
        return { status: 'ok', time: nowMs, shown: true } as const;
      },
      advance: async (ms: number, name: string) => {
        if (ways.at(-1) !== name) [ways[ways.length], calls] = [name, 0];
        elapsedMs += MINUTE_MS;
        if (++calls < (callsOfWays[ways.length - 1] ?? 0)) throw new RequestError(503, 'advance_unfinished', 'not there yet');
        nowMs += ms;
        return { status: 'ok', time: nowMs, shown: true } as const;
      },
    };
    const answer = await runScenario({ file: FILE, ...part }, parts).catch((error: unknown) => error as RequestError);
    return { answer, done, ways, elapsedMs };
  };
  const refusal = ({ answer }: Awaited<ReturnType<typeof run>>) =>
    answer instanceof RequestError ? [answer.status, answer.code, answer.message] : answer;

  it('goes on with a way that takes several calls, up to the bound', async () => {
    const { answer, done, elapsedMs } = await run([2, 1]);
    expect(answer).to.deep.include({ status: 'ok', shown: true, time: 120 * MINUTE_MS });
    expect([done, elapsedMs]).to.deep.equal([['pause', 'resume'], 3 * MINUTE_MS]);
  });

  it('leaves a way that is unfinished at the bound, and says where', async () => {
    const ended = await run([2, 99]);
    expect(ended.elapsedMs).to.equal(4 * MINUTE_MS);
    expect(ended.elapsedMs, 'and not a call more').to.be.within(WORK_MS_MAX, WORK_MS_MAX + MINUTE_MS);
    expect(WORK_MS_MAX + MINUTE_MS, 'a client of fetch is still there').to.be.below(FETCH_MS_MAX);
    expect(ended.done).to.deep.equal(['pause']);
    const where = 'At steps[2] of the scenario, after 2 of 3 actions: the call has worked for 220 s.';
    expect(refusal(ended)).to.deep.equal([
      503,
      'scenario_unfinished',
      `${where} What was done stays; \`after\` runs what is behind a step that has a name.`,
    ]);
  });

  it('begins no action after it', async () => {
    const ended = await run([5, 1]);
    expect([ended.done, ended.ways.length, ended.elapsedMs]).to.deep.equal([['pause'], 1, 4 * MINUTE_MS]);
    expect(refusal(ended)).to.include('scenario_unfinished');
  });

  it('a part ends behind its begin: one that would be empty is refused, and nothing is done', async () => {
    for (const part of [
      { after: 'middle', until: 'middle' },
      { after: 'end', until: 'middle' },
    ]) {
      const ended = await run([], part);
      expect(refusal(ended)).to.deep.equal([
        ...[
          400,
          'invalid_request',
          'Failed to deserialize the JSON body into the target type: until must be the name of a step behind that of after',
        ],
      ]);
      expect(ended.done).to.deep.equal([]);
    }
    expect((await run([1, 1], { after: 'middle', until: 'end' })).done).to.deep.equal(['resume']);
  });
});
