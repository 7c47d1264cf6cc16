// deploy/kubernetes against the schemas that Kubernetes publishes, strictly: a misspelt field is refused, which a cluster would drop.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findPython } from '../compat/pythonClient.ts';
import { type Manifest, render } from '../support/kustomize.ts';

/** The oldest version that docs/deploy.md names, and a version of today. */
const VERSIONS = ['1.31.0', '1.37.0'];

describe('deploy/kubernetes is what Kubernetes reads', function () {
  this.timeout(600_000);
  const dir = mkdtempSync(join(tmpdir(), 'paper-manifests-'));
  after(() => rmSync(dir, { recursive: true }));

  /** The faults of the manifests; empty = none. */
  function complaints(manifests: readonly Manifest[], version: string): string {
    const file = join(dir, 'manifests.yaml');
    writeFileSync(file, manifests.map((one) => `---\n${JSON.stringify(one)}\n`).join(''));
    const args = ['-m', 'kubernetes_validate', '--strict', '--quiet', '-k', version, file];
    const { status, stdout, stderr } = spawnSync(findPython(), args, { encoding: 'utf8' });
    return status === 0 ? '' : `${stdout}${stderr}`;
  }
  const overlay = (name: string): Manifest[] =>
    render(fileURLToPath(new URL(`../../deploy/kubernetes/${name}`, import.meta.url)));

  for (const version of VERSIONS) {
    for (const name of ['single', 'production', 'pinned']) {
      it(`${name}, by Kubernetes ${version}`, () => expect(complaints(overlay(name), version)).to.equal(''));
    }
  }

  it('and a misspelt field is found', () => {
    const [one] = overlay('single').filter(({ kind }) => kind === 'Deployment');
    const wrong = { ...(one as Manifest), spec: { ...one?.['spec'], replica: 2 } };
    expect(complaints([wrong], '1.37.0')).to.include('replica');
  });
});
