import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { GROUP_REFUSALS, REFUSALS } from '../../../../src/actors/core/checks/checkAction.ts';
import { REJECTIONS, rejection } from '../../../../src/actors/core/messages/rejection.ts';

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

describe('rejection: one table from reason to status and text', () => {
  for (const [reason, { status, text }] of Object.entries(REJECTIONS)) {
    it(`docs/errors.md has ${reason}`, () => expect(page).to.include(`| \`${reason}\` | \`${status}\` | \`${text}\` |`));
  }

  it('docs/errors.md has no reason that does not exist', () => {
    const reasons = [...page.matchAll(/^\| `(\w+)` \| `\w+` \|/gm)].map(([, reason]) => reason);
    expect(reasons).to.have.members(Object.keys(REJECTIONS));
  });

  it('docs/errors.md has the refusals of whole actions', () => {
    for (const text of Object.values({ ...REFUSALS, ...GROUP_REFUSALS })) expect(page).to.include(`\`${text}\``);
  });

  it('fills the numbers into the text', () => {
    expect(rejection('postOnlyWouldMatch', { asset: 3, bid: '99.9', ask: '100' })).to.deep.include({
      status: 'badAloPxRejected',
      text: 'Post only order would have immediately matched, bbo was 99.9@100. asset=3',
    });
  });
});
