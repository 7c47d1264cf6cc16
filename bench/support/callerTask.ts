// The list of the worst callers, and the task that each gets before it begins.

export const CALLERS = [
  'bodies',
  'batches',
  'questions',
  'sockets',
  'watchers',
  'pipelines',
  'passwords',
  'venue',
  'dryRuns',
  'operator',
  'lab',
] as const;
export type CallerName = (typeof CALLERS)[number];

export interface CallerTask {
  readonly name: CallerName;
  readonly baseUrl: string;
  readonly keys: readonly string[];
  readonly token: string;
  readonly email: string;
  readonly password: string;
  /** Its account's address. */
  readonly user: string;
  /** Network address that it calls from. */
  readonly address: string;
}
