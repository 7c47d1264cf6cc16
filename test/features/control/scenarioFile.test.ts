// The supplied scenario files against their form, and files that are wrong: errors name line and field.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readScenario, ScenarioSchema } from '../../../src/features/control/scenarioFile.ts';
import { toTasks } from '../../../src/features/control/scenarioSteps.ts';
import type { LiveMarket } from '../../../src/market/domain/liveMarket.ts';

const FOLDER = new URL('../../../examples/scenarios/', import.meta.url);
const SCHEMA = new URL('scenario.schema.json', FOLDER);
const SUPPLIED = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const published = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A scenario of docs/control.md',
  ...ScenarioSchema,
};
const schemaText = `${JSON.stringify(published, (key, value) => (key === 'expected' ? undefined : value), 2)}\n`;
if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(SCHEMA, schemaText);

/** Each coin of the files stands at 100 USD. */
const coins = ['BTC', 'ETH', 'SOL', 'DOGE'];
const market = {
  assetOf: (coin: string) => {
    const id = coins.indexOf(coin);
    return id < 0 ? undefined : { id, coin, sizeDecimals: 2, isDelisted: false };
  },
  contextOf: () => ({ context: { markPx: '100' }, timeMs: 0 }),
} as unknown as Pick<LiveMarket, 'assetOf' | 'contextOf'>;
const tasksOf = (text: string) => toTasks(readScenario(text), market);
const refusalOf = (text: string): string => {
  try {
    tasksOf(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'taken';
};

describe('scenario files', () => {
  it('the ten supplied are there', () =>
    expect(SUPPLIED.map((name) => name.replace('.yaml', ''))).to.have.members([
      ...['flash-crash', 'gap', 'funding-spike', 'stale-feed', 'liquidation-cascade'],
      ...['delisting', '429-storm', 'thin-book', 'trending-day', 'venue-outage'],
    ]));

  it('the published schema is the form of today; UPDATE_DOCS=1 with this test makes it anew', () =>
    expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).to.deep.equal(JSON.parse(schemaText)));

  const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));
  for (const name of SUPPLIED) {
    it(`${name} is of the published schema, named as its file, and can be made into actions`, () => {
      const content = parse(read(name));
      expect(validate(content), JSON.stringify(validate.errors)).to.equal(true);
      expect(`${content.name}.yaml`).to.equal(name);
      expect(tasksOf(read(name))).to.not.be.empty;
      // JSON is YAML.
      expect(readScenario(JSON.stringify(content))).to.deep.equal(readScenario(read(name)));
    });
  }

  it('the same seed draws the same walk, another one another', () => {
    const walk = (seed: number) =>
      JSON.stringify(tasksOf(`{name: a, seed: ${seed}, steps: [{action: walk, coin: BTC, noise: 5, for: 2h, every: 10m}]}`));
    expect(walk(1)).to.equal(walk(1));
    expect(walk(1)).to.not.equal(walk(2));
  });

  it('a move is a trade, a book around it and a price, in legal prices that do not cross', () => {
    const tasks = tasksOf(
      '{name: a, steps: [{at: 2s, action: market, coin: BTC, percent: -10, levels: 2, levelUsd: 90, spreadBps: 100}]}',
    );
    const controls = tasks.map((task) => (task.do === 'control' ? task.control : task.do));
    expect(controls).to.deep.equal([
      { action: 'trade', coin: 'BTC', px: '90', sz: '1', side: 'A', keepBook: true },
      {
        ...{ action: 'setBook', coin: 'BTC' },
        bids: [
          { px: '89.55', sz: '1' },
          { px: '88.65', sz: '1' },
        ],
        asks: [
          { px: '90.45', sz: '1' },
          { px: '91.35', sz: '1' },
        ],
      },
      { action: 'setPrice', coin: 'BTC', px: '90' },
    ]);
    expect(tasks.every(({ atMs }) => atMs === 2000)).to.equal(true);
  });

  const step = (fields: string): string => `name: a\nsteps:\n  - { action: wait }\n  - ${fields}\n`;
  const wrong: readonly [name: string, text: string, says: RegExp][] = [
    ['no YAML', 'name: [', /the file, line 1: /],
    ['a key twice', 'name: a\nname: b\nsteps: [{ action: wait }]', /line 2: .*unique/],
    ['a list', '- a', /line 1: the file must be a mapping/],
    ['nothing', ' ', /the file must be a mapping/],
    ['no steps', 'name: a', /steps is missing/],
    ['an empty list', 'name: a\nsteps: []', /line 2: steps must be a list of 1 to 200 steps/],
    ['too many steps', `name: a\nsteps: [${'{action: wait},'.repeat(201)}]`, /steps must be a list of 1 to 200 steps/],
    ['a name of other letters', 'name: Ä b\nsteps: [{ action: wait }]', /line 1: name must be/],
    ['another field', 'name: a\nstep: []\nsteps: [{ action: wait }]', /must be a mapping with name/],
    ['an action that is none', step('{ action: moon }'), /line 4: steps\[1\]\.action must be one of market, walk/],
    ['time as an action', step('{ action: advance, ms: 5 }'), /line 4: steps\[1\]\.action must be one of/],
    ['a scenario in itself', step('{ action: scenario, file: a }'), /line 4: steps\[1\]\.action must be one of/],
    ['a name of every object', step('{ action: constructor }'), /steps\[1\]\.action must be one of/],
    [
      'a field of another action',
      step('{ action: pause, coin: BTC, px: "1" }'),
      /line 4: steps\[1\] must be an object with the fields/,
    ],
    [
      'a price that is a number',
      step('\n      action: setPrice\n      coin: BTC\n      px: 5'),
      /line 7: steps\[1\]\.px must be a decimal string/,
    ],
    ['an illegal price', step('{ action: setPrice, coin: BTC, px: "100.123" }'), /steps\[1\]: px must have/],
    ['an unknown coin', step('{ action: market, coin: NOPE, percent: 1 }'), /steps\[1\]: There is no coin "NOPE"/],
    ['not a number', step('{ action: market, coin: BTC, percent: .nan }'), /steps\[1\]\.percent must be a number/],
    ['too far down', step('{ action: market, coin: BTC, percent: -100 }'), /percent must be a number from -99/],
    ['a time without a unit', step('{ action: wait, at: "5" }'), /steps\[1\]\.at must be a time such as/],
    [
      'a time before',
      'name: a\nsteps:\n  - { at: 5s, action: wait }\n  - { at: 4s, action: wait }',
      /steps\[1\]\.at must not be before/,
    ],
    ['later than a day', step('{ at: 25h, action: wait }'), /later than a day/],
    ['a walk of too many parts', step('{ action: walk, coin: BTC, for: 24h, every: 1s }'), /more than 1000 actions/],
    ['a walk without end', step('{ action: walk, coin: BTC, for: 24h, every: 0s }'), /every must be above 0/],
    [
      'a coin that is delisted above',
      'name: a\nsteps:\n  - { action: delist, coin: BTC }\n  - { action: pause, coin: BTC }',
      /steps\[1\]\.coin is delisted/,
    ],
    [
      'a name twice',
      'name: a\nsteps:\n  - { as: x, action: wait }\n  - { as: x, action: wait }',
      /steps\[1\]\.as is the name of another/,
    ],
    [
      'faults beyond 1',
      step('{ action: lab, faults: { "429": 0.9, "500": 0.9 } }'),
      /steps\[1\]: faults without partialFill must come to 1/,
    ],
    ['an alias', 'name: a\nsteps:\n  - &x { action: wait }\n  - *x', /line 4: aliases are not read/],
    ['an alias in itself', 'name: a\nsteps: &x\n  - *x', /line 3: aliases are not read/],
    ['a tag of YAML itself', 'name: a\nsteps:\n  - { action: !!str wait }', /line 3: tags are not read/],
    ['a tag of a list', 'name: a\nsteps: !!seq\n  - { action: wait }', /tags are not read/],
    ['a tag', 'name: !!js/function "x"\nsteps: [{ action: wait }]', /line 1: /],
    ['two documents', 'name: a\n---\nname: b', /line \d: /],
    ['deep brackets', `name: ${'['.repeat(10_000)}`, /nests deeper/],
    ['deep lists', `name: ${'- '.repeat(5000)}`, /nests deeper/],
    ['deep lists of lines', `name: a\nsteps:\n  ${'- '.repeat(5000)}a`, /nests deeper/],
    ['deep keys', '? '.repeat(5000), /nests deeper/],
    ['lists as keys', `name: a\nsteps:\n  ${'- ? '.repeat(2500)}a`, /nests deeper/],
  ];
  for (const [name, text, says] of wrong) it(`refuses ${name}`, () => expect(refusalOf(text)).to.match(says));
});
