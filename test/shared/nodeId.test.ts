import { expect } from 'chai';
import { readConfig } from '../../src/shared/config/config.ts';

describe('NODE_ID', () => {
  for (const name of ['actors-0', 'host.example_1', 'a/b@c', '']) {
    it(`may be "${name}"`, () => expect(readConfig({ NODE_ID: name }).NODE_ID).to.equal(name));
  }

  // Redis would not name the connection, so a second process of the name would start; parts of a lease are told apart by colons.
  for (const name of ['pod C', 'podé', 'host:3000', 'a\nb', 'x'.repeat(201)]) {
    it(`may not be ${JSON.stringify(name).slice(0, 20)}`, () =>
      expect(() => readConfig({ NODE_ID: name })).to.throw(/^NODE_ID must match/));
  }
});
