import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

interface Step {
  readonly name: string;
  readonly groups: readonly string[];
  readonly tests?: { readonly files: readonly string[]; readonly ignored?: readonly string[]; readonly seconds: number };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const load = (name: string) => import(`../../tools/test/${name}.mjs`);

describe('the steps of bin/test', () => {
  let steps: readonly Step[];

  before(async () => {
    ({ STEPS: steps } = await load('steps'));
  });

  it('each test is in one step, and unit tests of what Node runs once more on the other Node', () => {
    const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
    const isIn = ({ tests }: Step, file: string): boolean => {
      const { files: wanted, ignored = [] } = tests ?? { files: [] };
      return wanted.some((glob) => patternOf(glob).test(file)) && !ignored.some((glob) => patternOf(glob).test(file));
    };
    for (const file of files.map((name) => `test/${name}`)) {
      const names = steps.filter((step) => isIn(step, file)).map(({ name }) => name);
      const isOfNode = !/^test\/(?:[^/]+|(?:clients|dashboard|deploy|rules)\/.+)$/.test(file);
      const onBoth = isOfNode ? ['unit tests', 'unit tests on another Node'] : ['unit tests'];
      if (names.includes('unit tests')) expect(names, file).to.have.members(onBoth);
      else expect(names, file).to.have.length(1);
    }
  });

  it('those without tests come first, then what takes longest', () => {
    const seconds = steps.map(({ tests }) => tests?.seconds ?? Number.POSITIVE_INFINITY);
    expect(seconds).to.deep.equal(seconds.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
  });
});

describe('the order of steps', () => {
  const order = async (needs: Readonly<Record<string, Promise<unknown>>>, steps: readonly { name: string; need: string }[]) => {
    const { runSteps } = await load('schedule');
    const told: string[] = [];
    const ends = new Map<string, () => void>();
    const done: Promise<void> = runSteps(steps, {
      places: 2,
      needOf: ({ need }: { need: string }) => needs[need],
      run: ({ name }: { name: string }) => {
        told.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
    });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const end = async (name: string) => {
      ends.get(name)?.();
      await settled();
    };
    await settled();
    return { told, end, done };
  };

  it('two run side by side, the next when one ends, and each once', async () => {
    const steps = ['a', 'b', 'c', 'd'].map((name) => ({ name, need: 'packages' }));
    const { told, end, done } = await order({ packages: Promise.resolve() }, steps);
    expect(told).to.deep.equal(['a', 'b']);
    await end('b');
    expect(told).to.deep.equal(['a', 'b', 'c']);
    await end('a');
    expect(told).to.deep.equal(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    await done;
  });

  it('a step whose need is not there is passed by, and comes as soon as it is', async () => {
    const { promise: stores, resolve } = withResolvers();
    const steps = [
      { name: 'a', need: 'stores' },
      { name: 'b', need: 'packages' },
    ];
    const { told, end, done } = await order({ packages: Promise.resolve(), stores }, steps);
    expect(told).to.deep.equal(['b']);
    resolve();
    await end('nothing');
    expect(told).to.deep.equal(['b', 'a']);
    await end('a');
    await end('b');
    await done;
  });

  it('a need that cannot be met ends it, and nothing begins any more', async () => {
    const steps = ['stores', 'packages', 'packages', 'packages'].map((need, at) => ({ name: String(at), need }));
    const { promise: stores, reject } = withResolvers();
    const { told, done } = await order({ packages: Promise.resolve(), stores }, steps);
    reject(new Error('no Redis'));
    const error = await done.catch((thrown: Error) => thrown);
    expect(error).to.be.an('error').with.property('message', 'no Redis');
    expect(told).to.deep.equal(['1', '2']);
  });
});

/** As mocha reads the few forms of patterns that the steps have. */
function patternOf(glob: string): RegExp {
  const parts: Readonly<Record<string, string>> = {
    '**/': '(?:.*/)?',
    '**': '.*',
    '*': '[^/]*',
    '{': '(?:',
    ',': '|',
    '}': ')',
    '.': '\\.',
  };
  return new RegExp(`^${glob.replace(/\*\*\/|\*\*|[*{,}.]/g, (part) => parts[part] ?? '')}$`);
}

function withResolvers() {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { promise, resolve, reject };
}
