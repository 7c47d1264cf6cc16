// The venue's recorded answers, by file name.
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../fixtures/hyperliquid/', import.meta.url);

export interface Recording {
  /** File name without `.json`. */
  readonly name: string;
  readonly endpoint: 'info' | 'exchange' | 'ws';
  readonly request: { readonly type?: string; readonly action?: unknown };
  readonly response: unknown;
}

const known = new Map<string, Recording>();

/** One recording, read once; nobody changes it. */
export function readRecording(name: string): Recording {
  let recording = known.get(name);
  if (!recording) {
    recording = read(name);
    known.set(name, recording);
  }
  return recording;
}

function read(name: string): Recording {
  return { name, ...(JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Omit<Recording, 'name'>) };
}

/** All recordings of the two HTTP endpoints. */
export const readRecordings = (): Recording[] => readAll(/^(info|exchange)\..*\.json$/);

/** All recordings of the WebSocket. */
export const readStreamRecordings = (): Recording[] => readAll(/^ws\..*\.json$/);

const readAll = (files: RegExp): Recording[] =>
  readdirSync(FOLDER)
    .filter((file) => files.test(file))
    .map((file) => readRecording(file.slice(0, -'.json'.length)));
