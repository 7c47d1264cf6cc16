import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { listSubAccounts } from '../../../src/features/subAccounts/rules.ts';
import { deposit, Scenario } from '../../support/scenario.ts';

const create = (name: string, limit = 3): AccountCommand => ({ type: 'createSubAccount', name, limit });
const rename = (number: number, name: string): AccountCommand => ({ type: 'renameSubAccount', number, name });

describe('sub-accounts: the master says which there are', () => {
  const begun = () => new Scenario().given(deposit('100'), create('grid'), create('trend'), create('caf\u00e9'));
  const cases: { name: string; when: AccountCommand; want: object }[] = [
    { name: 'a fourth has number 4', when: create('carry', 4), want: { type: 'subAccountCreated', number: 4 } },
    {
      name: 'beyond the plan',
      when: create('carry', 3),
      want: { type: 'refused', text: 'Too many sub-accounts: the plan has 3.' },
    },
    {
      name: 'without a name',
      when: create(''),
      want: { type: 'refused', text: 'The name of a sub-account has 1 to 16 characters.' },
    },
    {
      name: 'sixteen characters, each beyond the first plane',
      when: create('🦊'.repeat(16), 4),
      want: { type: 'subAccountCreated', number: 4 },
    },
    {
      name: 'seventeen',
      when: create('a'.repeat(17)),
      want: { type: 'refused', text: 'The name of a sub-account has 1 to 16 characters.' },
    },
    { name: 'a name twice', when: create('grid'), want: { type: 'refused', text: 'Another sub-account has this name.' } },
    {
      name: 'a name that looks the same, with spaces around it',
      when: create(' grid '),
      want: { type: 'refused', text: 'Another sub-account has this name.' },
    },
    {
      name: 'a name that looks the same, with the accent as a character of its own',
      when: create('cafe\u0301'),
      want: { type: 'refused', text: 'Another sub-account has this name.' },
    },
    { name: 'its own name, written in another way', when: rename(3, 'cafe\u0301'), want: { type: 'done' } },
    { name: 'another name', when: rename(2, 'carry'), want: { type: 'done' } },
    { name: 'the name that it has', when: rename(2, 'trend'), want: { type: 'done' } },
    {
      name: 'the name of another',
      when: rename(2, 'grid'),
      want: { type: 'refused', text: 'Another sub-account has this name.' },
    },
    { name: 'none of this number', when: rename(4, 'x'), want: { type: 'refused', text: 'Sub-account does not exist.' } },
    { name: 'number 0', when: rename(0, 'x'), want: { type: 'refused', text: 'Sub-account does not exist.' } },
  ];
  for (const { name, when, want } of cases) it(name, () => void expect(begun().when(when).outcome).to.deep.equal(want));

  it('they outlive a reset, with their names', () => {
    const scenario = begun().given(rename(1, 'maker'), { type: 'resetAccount', plan: 'basic', balanceUsd: '500' });
    const { subAccounts: made } = listSubAccounts(scenario.account);
    expect(made.map(({ number, name }) => `${number} ${name}`)).to.deep.equal(['1 maker', '2 trend', '3 caf\u00e9']);
  });
});
