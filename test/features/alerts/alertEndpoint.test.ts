// Endpoints as builds have stored them. Lines of the golden file never change: a new version adds lines.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BSON } from 'mongodb';
import { readEndpoint, type StoredEndpoint } from '../../../src/features/alerts/store/alertEndpoint.ts';

const file = new URL('../../fixtures/alerts/endpoints.json', import.meta.url);
const golden = BSON.EJSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, StoredEndpoint>>;

describe('endpoints of alerts, as they are stored', () => {
  for (const [name, stored] of Object.entries(golden)) {
    it(`${name}: every field is read as it was written`, () => {
      const [version = '', channel] = name.split('-');
      expect(stored).to.include({ schema: Number(version), channel });
      expect(readEndpoint(stored)).to.deep.equal(stored);
    });
  }

  it('one of a newer build is refused, and the refusal says what to do', () => {
    const newer = { ...(golden['1-mail'] as StoredEndpoint), schema: 2 };
    expect(() => readEndpoint(newer)).to.throw(
      'The endpoint ale_000000000000000000000002 has version 2; this build reads up to 1',
    );
  });
});
