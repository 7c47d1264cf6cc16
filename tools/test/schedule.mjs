// In which order the steps of bin/test run: several side by side, the first of the list that has not run and whose needs are there.
// So nobody waits for what another step needs, and all places are taken until the list is at its end.

/**
 * @template {object} Step
 * @param {readonly Step[]} steps the most urgent first; each is run once
 * @param {object} how
 * @param {number} how.places so many run side by side
 * @param {(step: Step) => Promise<unknown>} how.needOf what has to be there before it begins; the same promise for the same need
 * @param {(step: Step) => Promise<void>} how.run
 * @throws the error of a need that cannot be met, or of a run; no other step begins then
 */
export async function runSteps(steps, { places, needOf, run }) {
  const waiting = [...steps];
  /** @type {Set<Promise<unknown>>} */
  const met = new Set();
  const needs = new Map([...new Set(steps.map(needOf))].map((need) => [need, need.then(() => void met.add(need))]));
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  for (;;) {
    while (running.size < places) {
      const at = waiting.findIndex((step) => met.has(needOf(step)));
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) break;
      const one = run(next).then(() => void running.delete(one));
      running.add(one);
    }
    const unmet = [...needs].filter(([need]) => !met.has(need)).map(([, reached]) => reached);
    if (running.size + unmet.length === 0) return;
    await firstOf([...running, ...unmet]);
  }
}

/** The others' errors are met here, too: nobody asks for them after the first. @param {readonly Promise<void>[]} promises */
async function firstOf(promises) {
  for (const promise of promises) promise.catch(() => undefined);
  await Promise.race(promises);
}
