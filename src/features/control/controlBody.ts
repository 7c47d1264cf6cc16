// The body of `POST /control` and its answer: one shape for each action. An action that has another field than its own is refused, so that a spelling
// mistake in a test is found there.
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { type AnswerFor, EpochMs, exactly, words } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { SideLetter } from '../../api/contract/venueForms.ts';
import { CoinText, compileReader, DecimalText } from '../../api/http/requestReader.ts';
import { DAY_MS } from '../../shared/domain/units.ts';

/** Levels of a side that the venue shows. */
const LEVELS_MAX = 20;
/** Longest time for which the venue can be made to refuse connections, ms. */
const REFUSE_MS_MAX = 600_000;

/** Longest advance of one call: a day, ms. Each hour of it costs some stops of the whole exchange (docs/control.md). */
const ADVANCE_MS_MAX = DAY_MS;

/** Longest text of a scenario file. */
const SCENARIO_CHARS_MAX = 32_768;

const FORM = { expected: 'an object with the fields of this action alone', additionalProperties: false } as const;
const Px = described(DecimalText, 'A legal price of the coin, above 0.');
const Sz = described(DecimalText, 'A whole number of lots of the coin, above 0.');
const Level = named('ControlLevel', Type.Object({ px: Px, sz: Sz }, FORM));
const Side = Type.Array(Level, { maxItems: LEVELS_MAX, expected: `at most ${LEVELS_MAX} levels` });
const Coin = described(CoinText, 'Name of a market.');
const StepName = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$', expected: 'the name of a step' });
const OneOrAll = Type.Optional(described(CoinText, 'Name of a market; without it all of them.'));

/** Reads an action, by its name and the name of its form in the contract. */
const action = <Name extends string, Fields extends TProperties>(name: Name, form: string, fields: Fields) =>
  compileReader(named(form, Type.Object({ action: Type.Literal(name), ...fields }, FORM)));

/** What moves the market. */
export const MARKET_READERS = {
  setBook: action('setBook', 'SetBook', {
    coin: Coin,
    bids: described(Side, 'Best first, prices falling, below every ask. May be empty.'),
    asks: described(Side, 'Best first, prices rising. May be empty.'),
  }),
  trade: action('trade', 'PublicTrade', {
    coin: Coin,
    px: Px,
    sz: Sz,
    side: {
      ...described(SideLetter, 'Who crossed the spread: B a buyer, A a seller.'),
      expected: 'B (a buyer) or A (a seller)',
    },
    keepBook: Type.Optional(
      Type.Boolean({ description: 'The book stays as it is; without it the trade takes from it.', expected: 'a boolean' }),
    ),
  }),
  setPrice: action('setPrice', 'SetPrice', {
    coin: Coin,
    px: described(Px, 'Mark, oracle and mid. The book moves with it, unless `setBook` has set it.'),
  }),
  setFunding: action('setFunding', 'SetFunding', {
    coin: Coin,
    rate: Type.String({
      pattern: '^-?0(\\.\\d{1,10})?$',
      expected: 'a decimal string from -0.04 to 0.04',
      description: 'Of an hour, as a fraction: from -0.04 to 0.04, from the next full hour on.',
      examples: ['0.0001'],
    }),
  }),
  pause: action('pause', 'PauseFeed', { coin: OneOrAll }),
  resume: action('resume', 'ResumeFeed', { coin: OneOrAll }),
  disconnect: action('disconnect', 'DisconnectFeed', {
    ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: REFUSE_MS_MAX,
        expected: `a whole number of milliseconds up to ${REFUSE_MS_MAX}`,
        description: 'For so long the venue refuses new connections and questions.',
      }),
    ),
  }),
  delist: action('delist', 'Delist', { coin: Coin }),
};

const READERS = {
  ...MARKET_READERS,
  advance: action('advance', 'AdvanceClock', {
    ms: Type.Integer({
      minimum: 1,
      maximum: ADVANCE_MS_MAX,
      expected: `a whole number of milliseconds from 1 to ${ADVANCE_MS_MAX}`,
      description: 'By so much exchange time is set ahead; it never goes back.',
    }),
    id: Type.Optional(
      Type.String({
        pattern: '^[!-~]{1,64}$',
        expected: '1 to 64 printable characters without spaces',
        description: 'Names the call: sent again with the same id it is done once, however it ended.',
        examples: ['night-1'],
      }),
    ),
  }),
  scenario: action('scenario', 'RunScenario', {
    file: Type.String({
      minLength: 1,
      maxLength: SCENARIO_CHARS_MAX,
      expected: `the text of a scenario file, up to ${SCENARIO_CHARS_MAX} characters`,
      description: 'A scenario as YAML or JSON: docs/control.md has its form.',
      examples: ['{"name":"gap","steps":[{"action":"market","coin":"BTC","percent":-5}]}'],
    }),
    until: Type.Optional(described(StepName, 'Name of the step (`as`) that the run ends with.')),
    after: Type.Optional(described(StepName, 'Name of the step behind which it begins.')),
  }),
};

type ControlName = keyof typeof READERS;
type ControlBody = { readonly [Name in ControlName]: Static<(typeof READERS)[Name]['schema']> }[ControlName];

/** What moves the market; `advance` moves time, `scenario` both. */
export type MarketControl = Exclude<ControlBody, { readonly action: 'advance' | 'scenario' }>;
export type ScenarioControl = Omit<Extract<ControlBody, { readonly action: 'scenario' }>, 'action'>;

const NAMES = Object.keys(READERS) as ControlName[];
const readName = compileReader(
  Type.Object(
    { action: { ...words(...NAMES), expected: `one of ${NAMES.join(', ')}` } },
    { expected: 'an object with an action' },
  ),
);

export const ControlSchema = named('ControlAction', Type.Union(Object.values(READERS).map(({ schema }) => schema)));

/** @throws {RequestError} 400 that names the first fault */
export function readControl(body: unknown): ControlBody {
  return READERS[readName(body).action](body);
}

export const ControlAnswer = named(
  'ControlAnswer',
  exactly({
    status: Type.Literal('ok'),
    time: described(EpochMs, 'When the venue did it, by its clock; after `advance`, exchange time.'),
    shown: described(
      Type.Boolean(),
      'Whether this API shows the change now and the actors have it. False: the coin is paused, the venue is cut off, or no actor owns some accounts; after `advance`, also that something due waits, such as funding for its rates.',
    ),
    scenario: Type.Optional(
      named(
        'ScenarioRun',
        exactly({
          name: described(Type.String(), 'Of the scenario.'),
          actions: described(Type.Integer({ minimum: 0 }), 'How many control actions its steps were made into and were done.'),
        }),
      ),
    ),
  }),
);

export type ControlAnswer = AnswerFor<typeof ControlAnswer>;
