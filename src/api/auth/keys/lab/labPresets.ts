// The supplied profiles of the failure lab: what is missing in a request that names one is taken from it.
import type { LabSettings, PresetName } from './labFields.ts';

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
