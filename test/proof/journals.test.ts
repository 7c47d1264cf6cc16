// The journals of 3,500 random lives are the same as when the digests in test/fixtures/journals.json were made. A change of the
// layout, or of anything else that is to change no decision, leaves them as they are. `node --import tsx test/proof/journals.ts`
// shows and writes.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EVENT_FACTS } from '../../src/actors/core/history/eventFacts.ts';
import { BATCH_LIVES, type BatchDigests, type DrawnLife, digestsOf, KINDS } from './recordedLives.ts';

const stored: Readonly<Record<string, readonly BatchDigests[]>> = JSON.parse(
  readFileSync(new URL('../fixtures/journals.json', import.meta.url), 'utf8'),
);

describe('journals of 3,500 random lives are byte for byte as they were', function () {
  this.timeout(600_000);
  const met = new Set<string>();

  it('there are 3,500', () => {
    expect(Object.values(KINDS).reduce((sum, { count }) => sum + count, 0)).to.equal(3500);
    expect(Object.keys(KINDS)).to.deep.equal(Object.keys(stored));
  });

  for (const [kind, { count, draw }] of Object.entries(KINDS)) {
    let drawn: readonly DrawnLife[] = [];
    before(() => {
      drawn = draw();
    });
    for (let first = 0; first < count; first += BATCH_LIVES) {
      it(`${kind}: ${first} to ${first + BATCH_LIVES - 1}`, () => {
        const batch = drawn.slice(first, first + BATCH_LIVES);
        const seen = digestsOf(batch, ({ eventTypes }) => eventTypes.forEach((type) => void met.add(type)));
        expectSame(seen, stored[kind]?.[first / BATCH_LIVES], { kind, first });
      });
    }
  }

  it('every event is in one of them', () => expect([...met]).to.have.members(Object.keys(EVENT_FACTS)));
});

function expectSame(
  seen: BatchDigests,
  wanted: BatchDigests | undefined,
  { kind, first }: { kind: string; first: number },
): void {
  expect(
    seen.drawn,
    'other lives were drawn: test/proof/randomSteps.ts, a fixture of theirs, or fast-check has changed',
  ).to.equal(wanted?.drawn);
  const known = wanted?.lives.split(' ') ?? [];
  const others = seen.lives.split(' ').flatMap((digest, at) => (digest === known[at] ? [] : [first + at]));
  const show = `node --import tsx test/proof/journals.ts show '${kind}' ${others[0]} --against <worktree of the commit before>`;
  expect(others, `these lives are others; the first line that differs: ${show}`).to.deep.equal([]);
}
