import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { completed } from '../../tools/checks/lockFile.ts';

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

  it('names the packages of every machine, or "npm ci" refuses it: "npm run lock" completes it', () => {
    expect(Object.keys(completed(packages)).filter((path) => packages[path] === undefined)).to.deep.equal([]);
  });

  it('is completed by the version and the machine in a name', () => {
    const wanting = { 'node_modules/a': { optionalDependencies: { '@a/cli-linux-arm64-musl': '1.2.3' } } };
    expect(completed(wanting)['node_modules/@a/cli-linux-arm64-musl']).to.deep.equal({
      ...{ version: '1.2.3', optional: true, cpu: ['arm64'], os: ['linux'], libc: ['musl'] },
    });
    expect(() => completed({ 'node_modules/a': { optionalDependencies: { b: '1.2.3' } } })).to.throw('does not say');
    expect(() => completed({ 'node_modules/a': { optionalDependencies: { 'b-linux-x64': '^1.2.3' } } })).to.throw(
      'single version',
    );
  });

  it('names no registry', () => {
    expect(JSON.stringify(packages)).to.not.match(/"resolved":"https?:/);
  });
});
