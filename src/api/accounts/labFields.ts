// The failure lab of an API key as requests give it and answers show it: the schema of a profile, with all of its bounds, and
// the supplied presets.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { LAB_FAULTS, LAB_REFUSALS, LATENCY_MS_MAX, type LabProfile } from '../../shared/domain/labProfile.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { exactly, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { fitting, hasAll, hasNone, ISO_MS } from '../contract/requestValues.ts';
import { contradiction } from '../http/requestReader.ts';

/** How long a request without an answer is held, ms: by default, and at most. */
const TIMEOUT_MS = 5000;
const TIMEOUT_MS_MAX = 30_000;
/** A script holds an order from being filled for no longer, ms. */
const FILL_AFTER_MS_MAX = DAY_MS;
const SCRIPTS_MAX = 20;
const WINDOWS_MAX = 20;
const YEAR_MS = 366 * DAY_MS;
export const SEED_MAX = Number.MAX_SAFE_INTEGER;

const whole = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, expected: `a whole number from ${minimum} to ${maximum}` });
const Probability = Type.Number({ minimum: 0, maximum: 1, expected: 'a number from 0 to 1' });
const closed = <T extends Record<string, TSchema>>(fields: T, expected: string, together: object = {}) =>
  Type.Object(fields, { additionalProperties: false, expected, ...together });

const LatencyMs = whole(0, LATENCY_MS_MAX);

const LogNormal = named(
  'LabLogNormal',
  closed(
    {
      medianMs: LatencyMs,
      sigma: Type.Number({ minimum: 0, maximum: 3, expected: 'a number from 0 to 3' }),
      spikes: Type.Optional(
        named('LabSpikes', closed({ probability: Probability, ms: LatencyMs }, 'an object with probability and ms')),
      ),
    },
    'an object with medianMs and sigma',
  ),
);
export const Latency = Type.Union([LatencyMs, LogNormal], {
  expected: `whole milliseconds up to ${LATENCY_MS_MAX}, or an object with medianMs, sigma and perhaps spikes`,
});

const Latencies = named(
  'LabLatency',
  closed(
    {
      submit: Type.Optional(described(Latency, 'Orders and modifies wait in the account for so long before they are decided.')),
      cancel: Type.Optional(described(Latency, 'Cancels do; one may come too late.')),
      answer: Type.Optional(described(Latency, 'Answers are held back for so long.')),
      stream: Type.Optional(described(Latency, 'Messages of WebSockets come so late, in their order.')),
    },
    'an object with submit, cancel, answer and stream',
  ),
);

const Feed = named(
  'LabFeed',
  closed(
    {
      freeze: Type.Optional(described(Type.Literal(true, { expected: 'true' }), 'It stands still.')),
      delay: Type.Optional(described(LatencyMs, 'It is so late, ms.')),
    },
    'an object with freeze and delay',
  ),
);

const chance = Type.Optional(Probability);
const Faults = named(
  'LabFaults',
  closed(
    {
      ...{ '429': chance, '500': chance, '502': chance, timeoutBefore: chance, timeoutAfterEffect: chance },
      ...{ dropSocket: chance, duplicateAnswer: chance, partialFill: chance },
    },
    `an object of probabilities of ${LAB_FAULTS.join(', ')} and partialFill`,
  ),
);

const pairsOf = (names: readonly string[]): [string, string][] =>
  names.flatMap((one, i) => names.slice(i + 1).map((other): [string, string] => [one, other]));

/** Ends of which an order has one. */
const OUTCOMES = ['refuse', 'fillPercent', 'fillAfterMs', 'neverFill'] as const;

const Script = named(
  'LabScript',
  closed(
    {
      cloidPrefix: Type.String({ pattern: '^0x[0-9a-f]{1,32}$', expected: '0x and 1 to 32 hex digits in lower case' }),
      refuse: Type.Optional(
        described(named('LabRefusal', words(...LAB_REFUSALS)), 'Refused with the venue’s words for this reason.'),
      ),
      fillPercent: Type.Optional(described(whole(0, 99), 'At once it fills no more of its size.')),
      fillAfterMs: Type.Optional(described(whole(1, FILL_AFTER_MS_MAX), 'It rests for so long before anything may fill it.')),
      neverFill: Type.Optional(described(Type.Literal(true, { expected: 'true' }), 'It rests, and nothing ever fills it.')),
      loseAnswer: Type.Optional(described(Type.Literal(true, { expected: 'true' }), 'The action has its effect, and no answer.')),
    },
    'an object with cloidPrefix and what becomes of the order',
    fitting(`must have one of ${OUTCOMES.join(', ')}, or loseAnswer alone`, {
      anyOf: [hasNone(...OUTCOMES, 'loseAnswer'), ...pairsOf(OUTCOMES).map((pair) => hasAll(...pair))],
    }),
  ),
);

const Window = named(
  'LabWindow',
  closed(
    {
      from: Type.String({ pattern: ISO_MS, expected: 'an ISO 8601 time such as 2026-11-21T12:00:00.000Z' }),
      forMs: whole(1, YEAR_MS),
      everyMs: Type.Optional(whole(1, YEAR_MS)),
    },
    'an object with from, forMs and perhaps everyMs',
  ),
);

const profileFields = {
  seed: described(whole(0, SEED_MAX), 'Same seed, same requests, same market: the same faults.'),
  latency: Latencies,
  faults: described(Faults, 'One draw decides which of them a request meets; they come to 1 at most, `partialFill` apart.'),
  feed: described(Feed, 'The market’s data as the key sees it; orders are decided on the true book.'),
  nonces: described(
    words('strict'),
    'The venue’s rule of nonces: new, above the least of the 100 highest, two days old at most, one ahead.',
  ),
  postOnly: described(
    Type.Literal(true, { expected: 'true' }),
    'Only post-only orders are taken, as after an upgrade of the venue.',
  ),
  timeoutMs: described(
    whole(1, TIMEOUT_MS_MAX),
    'A request without an answer is held for so long; then its connection is closed.',
  ),
  scripts: described(
    Type.Array(Script, { maxItems: SCRIPTS_MAX, expected: `a list of up to ${SCRIPTS_MAX} scripts` }),
    'The first whose prefix an order’s cloid has counts.',
  ),
  schedule: described(
    Type.Array(Window, { minItems: 1, maxItems: WINDOWS_MAX, expected: `a list of 1 to ${WINDOWS_MAX} windows` }),
    'When it is in force; absent: always.',
  ),
};

const settings = Type.Partial(Type.Object(profileFields)).properties;

const Profile = closed(
  { ...settings, seed: profileFields.seed, timeoutMs: profileFields.timeoutMs },
  `an object of ${Object.keys(profileFields).join(', ')}`,
);
export const LabProfileAnswer = named('LabProfile', Profile);

export const PRESET_NAMES = [
  ...(['slowVenue', 'jitter', 'rateLimitStorm', 'outage', 'lostAnswers', 'thinFills', 'staleFeed'] as const),
] as const;
type PresetName = (typeof PRESET_NAMES)[number];
const PresetWord = named('LabPresetName', words(...PRESET_NAMES));

const LabSettings = named('LabSettings', closed(settings, `an object of ${Object.keys(settings).join(', ')}`));
export type LabSettings = Static<typeof LabSettings>;

export const LabBody = closed(
  { preset: Type.Optional(described(PresetWord, 'What is taken from it where the body says nothing.')), ...settings },
  `an object of preset, ${Object.keys(settings).join(', ')}`,
);
export type LabBody = Static<typeof LabBody>;

export const Presets = Type.Array(named('LabPreset', exactly({ name: PresetWord, about: Type.String(), profile: LabSettings })));

/** @param run of the new profile @throws {RequestError} 400 */
export function readLab(settingsOf: LabSettings, run: string): LabProfile {
  const { seed = 1, latency, faults, feed, nonces, postOnly, timeoutMs = TIMEOUT_MS, scripts, schedule } = settingsOf;
  const sum = LAB_FAULTS.reduce((all, fault) => all + (faults?.[fault] ?? 0), 0);
  if (sum > 1 + Number.EPSILON * LAB_FAULTS.length) throw contradiction('faults without partialFill must come to 1 at most');
  return {
    ...{ run, seed, timeoutMs },
    ...(latency && { latency }),
    ...(faults && { faults }),
    ...(feed && { feed }),
    ...(nonces && { nonces }),
    ...(postOnly && { postOnly }),
    ...(scripts && { scripts }),
    ...(schedule && { schedule: schedule.map(({ from, ...window }) => ({ fromMs: Date.parse(from), ...window })) }),
  };
}

/** What an answer shows of it. */
export const toLabAnswer = ({ run: _, schedule, ...profile }: LabProfile) => ({
  ...profile,
  ...(schedule && { schedule: schedule.map(({ fromMs, ...window }) => ({ from: new Date(fromMs).toISOString(), ...window })) }),
});

/** The supplied profiles of the failure lab: what is missing in a request that names one is taken from it. */
export const PRESETS: Readonly<Record<PresetName, { readonly about: string; readonly profile: LabSettings }>> = {
  slowVenue: {
    about: 'Every action takes 250 ms, answers 100 ms more.',
    profile: { latency: { submit: 250, cancel: 250, answer: 100 } },
  },
  jitter: {
    about: 'Log-normal latency around 80 ms, one in fifty takes two seconds more.',
    profile: {
      latency: {
        submit: { medianMs: 80, sigma: 0.6, spikes: { probability: 0.02, ms: 2000 } },
        cancel: { medianMs: 80, sigma: 0.6, spikes: { probability: 0.02, ms: 2000 } },
      },
    },
  },
  rateLimitStorm: { about: 'Four of five requests are answered 429.', profile: { faults: { '429': 0.8 } } },
  outage: {
    about: 'Half of the requests fail with 500 or 502, a tenth gets no answer.',
    profile: { faults: { '500': 0.25, '502': 0.25, timeoutBefore: 0.1 } },
  },
  lostAnswers: {
    about: 'A fifth of the actions have their effect and no answer, a tenth loses its connection.',
    profile: { faults: { timeoutAfterEffect: 0.2, dropSocket: 0.1 } },
  },
  staleFeed: {
    about: 'The market is seen three seconds late, messages take log-normal 50 ms; orders meet the market of now.',
    profile: { latency: { stream: { medianMs: 50, sigma: 0.8 } }, feed: { delay: 3000 } },
  },
  thinFills: { about: 'Half of the orders fill in part at first.', profile: { faults: { partialFill: 0.5 } } },
};
