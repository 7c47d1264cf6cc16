// The licences of the packages that the service runs with, and which of them are agreed to. package-lock.json has them
// all. A package of another machine is the same software as its sibling for this one.
import { readFileSync } from 'node:fs';

/** They ask for their own text and the author's name at most. */
const AGREED = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['CC-BY-4.0', '(MIT OR CC0-1.0)'],
]);

interface LicensedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly license?: string;
  /** Absent for a package of another machine. */
  readonly integrity?: string;
}

export interface Licence {
  readonly name: string;
  readonly version: string;
  /** As SPDX names it; `unknown` when the package does not say. */
  readonly licence: string;
  readonly isAgreed: boolean;
}

/** @param packages by their folders; by name in the answer */
export function licencesOf(packages: Readonly<Record<string, LicensedPackage>>): Licence[] {
  return Object.entries(packages)
    .filter(([path, { dev, integrity }]) => path !== '' && dev !== true && integrity !== undefined)
    .map(([path, { version = '', license: licence = 'unknown' }]) => ({
      ...{ name: path.replace(/^.*node_modules\//, ''), version, licence, isAgreed: AGREED.has(licence) },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const licences = (): Licence[] =>
  licencesOf(JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')).packages);
