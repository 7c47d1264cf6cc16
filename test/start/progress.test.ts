import { expect } from 'chai';
import fc from 'fast-check';

/** The part of tools/start/progress.mjs that is used here; plain JavaScript, which the type check of the tests leaves out. */
interface Progress {
  step(name: string): void;
  doing(what: string): void;
  bar(nowMs: number, columns: number): string;
  line(nowMs: number): string;
}

describe('progress: what a start shows while it works', () => {
  const steps = ['npm packages', 'Build', 'Stores', 'Demo'];
  let Progress: new (steps: readonly string[], nowMs: number) => Progress;
  let progress: Progress;

  before(async () => {
    ({ Progress } = await import(`../../tools/start/${'progress'}.mjs`));
  });
  beforeEach(() => {
    progress = new Progress(steps, 1000);
  });

  it('a line per step, and one per thing that the step does, each with the seconds since the beginning', () => {
    progress.step('npm packages');
    expect(progress.line(1000)).to.equal('  0 s  1/4 npm packages');
    progress.doing('Installing 400 npm packages');
    expect(progress.line(3999)).to.equal('  2 s      Installing 400 npm packages');
    progress.step('Stores');
    expect(progress.line(101_000)).to.equal('100 s  3/4 Stores');
  });

  it('a bar of the steps that are done, with what is being done now', () => {
    progress.step('npm packages');
    expect(progress.bar(1000, 100)).to.equal(`${'░'.repeat(20)} 1/4   0 s  npm packages`);
    progress.step('Stores');
    progress.doing('Installing Redis');
    expect(progress.bar(61_000, 100)).to.equal(`${'█'.repeat(10)}${'░'.repeat(10)} 3/4  60 s  Stores: Installing Redis`);
    progress.step('Demo');
    expect(progress.bar(61_000, 100)).to.equal(`${'█'.repeat(15)}${'░'.repeat(5)} 4/4  60 s  Demo`);
  });

  it('shows a clock that was set back as no time', () => {
    progress.step('Build');
    expect(progress.line(0)).to.equal('  0 s  2/4 Build');
  });

  it('refuses a step that it does not know, and one that is over', () => {
    expect(() => progress.step('Tea')).to.throw('No step "Tea" comes after "the beginning".');
    progress.step('Stores');
    for (const name of ['Stores', 'Build']) expect(() => progress.step(name)).to.throw(`No step "${name}" comes after "Stores".`);
    expect(progress.line(1000)).to.include('3/4 Stores');
  });

  it('the bar stays on one line of the terminal and never goes back', () => {
    const ways = fc.subarray(steps, { minLength: 1 });
    fc.assert(
      fc.property(ways, fc.string({ maxLength: 300 }), fc.integer({ min: 2, max: 300 }), (way, what, columns) => {
        const one = new Progress(steps, 0);
        let full = 0;
        for (const name of way) {
          one.step(name);
          one.doing(what);
          const bar = one.bar(5000, columns);
          expect(bar.length).to.be.below(columns);
          const now = one.bar(5000, 1000).split('█').length;
          expect(now).to.be.at.least(full);
          full = now;
        }
      }),
    );
  });
});
