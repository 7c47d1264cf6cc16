import { expect } from 'chai';
import { ChangesSeen } from '../../../src/api/access/userChanges.ts';

describe('changesSeen: a look-up is repeated for a change of its own user only', () => {
  it('tells a change of the user since then, not one before, and none of others', () => {
    const changes = new ChangesSeen();
    changes.note('a');
    const begun = changes.count;
    changes.note('b');
    expect(changes.hasChanged('a', begun)).to.equal(false);
    changes.note('a');
    expect(changes.hasChanged('a', begun)).to.equal(true);
    expect(changes.hasChanged('a', changes.count)).to.equal(false);
  });

  it('any user may have changed when all have been forgotten, and when too many have changed to be remembered', () => {
    const changes = new ChangesSeen();
    const begun = changes.count;
    changes.noteAll();
    expect(changes.hasChanged('a', begun)).to.equal(true);
    const next = changes.count;
    for (let n = 0; n < 1000; n++) changes.note(`other-${n}`);
    expect(changes.hasChanged('a', next)).to.equal(false);
    changes.note('one more');
    expect(changes.hasChanged('a', next)).to.equal(true);
    expect(changes.hasChanged('a', changes.count)).to.equal(false);
  });
});
