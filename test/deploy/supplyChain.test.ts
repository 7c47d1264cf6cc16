import { expect } from 'chai';
import { licences, licencesOf } from '../../tools/checks/licences.ts';

describe('the packages that the service runs with', () => {
  it('have licences that are agreed to', () => {
    const all = licences();
    expect(all.map(({ name }) => name)).to.include.members(['koa', 'ioredis', 'mongodb', 'decimal.js']);
    expect(all.filter(({ isAgreed }) => !isAgreed)).to.deep.equal([]);
    expect(all.map(({ name }) => name)).to.not.include('mocha');
  });

  it('would be refused with another licence, or with none', () => {
    const packages = {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.0.0', license: 'AGPL-3.0', integrity: 'sha512-x' },
      'node_modules/b/node_modules/@c/d': { version: '2.0.0', integrity: 'sha512-y' },
    };
    expect(licencesOf(packages).map(({ name, licence, isAgreed }) => [name, licence, isAgreed])).to.deep.equal([
      ['@c/d', 'unknown', false],
      ['a', 'AGPL-3.0', false],
    ]);
  });
});
