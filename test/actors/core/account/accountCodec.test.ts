import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { accountCodec, fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { OrderMap } from '../../../../src/actors/core/account/orderMap.ts';
import { record } from '../../../../src/shared/domain/codec.ts';
import { type Format, NEWEST_FORMAT, NewerFormat } from '../../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../../src/shared/stateHash.ts';
import { expectSameState } from '../../../proof/sameState.ts';
import { anyAccount, fullAccount } from '../../../support/anyAccount.ts';
import { ACCOUNT_ID, book, given, leverage, place, trade } from '../../../support/scenario.ts';

const throughText = (account: Account, format: Format): Account => fromSnapshot(toSnapshot(account, format));

describe('accountCodec: every state comes back from its text as it was', () => {
  it('any state, in the newest generation, with the same text and the same hash', () => {
    fc.assert(
      fc.property(anyAccount, (account) => {
        const back = throughText(account, NEWEST_FORMAT);
        expectSameState(back, account, 'the state');
        expect(toSnapshot(back, NEWEST_FORMAT)).to.equal(toSnapshot(account, NEWEST_FORMAT));
        expect(stateHashOf(back)).to.equal(stateHashOf(account));
      }),
    );
  });

  it('in an older generation nothing is lost but what that one does not know', () => {
    fc.assert(
      fc.property(anyAccount, fc.integer({ min: 1, max: NEWEST_FORMAT }), (account, format) => {
        const back = throughText(account, format as Format);
        expect(toSnapshot(back, format as Format)).to.equal(toSnapshot(account, format as Format));
        expectSameState(throughText(back, NEWEST_FORMAT), back, 'the state');
      }),
    );
  });

  it('the order in which maps were filled changes neither text nor hash', () => {
    fc.assert(
      fc.property(fullAccount, (account) => {
        const { positions, triggers, leverage, twaps, funding, commandIds, transfers } = account;
        const reversed: Account = {
          ...account,
          positions: backwards(positions),
          triggers: new OrderMap(backwards(triggers)),
          leverage: backwards(leverage),
          twaps: backwards(twaps),
          funding: backwards(funding),
          commandIds: backwards(commandIds),
          transfers: backwards(transfers ?? new Map()),
        };
        expect(toSnapshot(reversed, NEWEST_FORMAT)).to.equal(toSnapshot(account, NEWEST_FORMAT));
        expect(stateHashOf(reversed)).to.equal(stateHashOf(account));
      }),
    );
  });

  it('without any one of its keys a form is refused, wherever the key stands; one that may be absent is absent in the state', () => {
    const [account] = fc.sample(fullAccount, { numRuns: 1, seed: 7 }) as [Account];
    const form = JSON.parse(toSnapshot(account, NEWEST_FORMAT));
    const paths = [...pathsOf(form)].filter(([key]) => key !== 'v');
    expect(paths.length).to.be.greaterThan(70);
    for (const path of paths) {
      const damaged = structuredClone(form);
      delete path.slice(0, -1).reduce((at, key) => at[key], damaged)[path.at(-1) as string];
      const reading = (): Account => fromSnapshot(JSON.stringify(damaged));
      if (MAY_BE_ABSENT.some((pattern) => pattern.test(path.join('.')))) {
        expect(JSON.parse(toSnapshot(reading(), NEWEST_FORMAT)), path.join('.')).to.deep.equal(damaged);
      } else expect(reading, path.join('.')).to.throw(SyntaxError, `has no ${path.at(-1)}`);
    }
  });

  for (const key of Object.keys(accountCodec.fields) as (keyof Account)[]) {
    it(`the round trip and the hash notice that the table lacks ${key}`, () => {
      const { [key]: _, ...fields } = accountCodec.fields;
      const lossy = record<Account>('account', fields as typeof accountCodec.fields);
      const [account] = fc.sample(fullAccount, { numRuns: 1, seed: 7 }) as [Account];
      const back = { ...emptyAccount(''), ...lossy.read(lossy.write(account) as never) };
      expect(() => expectSameState(back, account, 'the state')).to.throw(key);
      expect(stateHashOf(back)).not.to.equal(stateHashOf(account));
    });
  }
});

const MAY_BE_ABSENT = [
  /^(orders|triggers)\.\d+\.(cloid|requestedSize|filledUsd|twapId|lossMaxUsd)$/,
  /^orders\.\d+\.trigger$/,
  /^triggers\.\d+\.fired$/,
  /^orders\.\d+\.resting\.(model|shown|takenOff)$/,
  /^subAccounts\.\d+\.fork$/,
  /^twaps\.\d+\.(trigger|stopPrice|lossMaxUsd|isWaiting)$/,
  /\.trigger\.(hasFired|placedFlat|grouping|parentOid)$/,
  /^historyStart\.lastSeqs$/,
  /^(orders|triggers)\.\d+\.lab$/,
  /\.lab\.\d+\.(fault|delayMs|answerMs|script)$/,
  /^lab(\.waiting\.\d+\.(note\.(fault|delayMs|answerMs)|command\..+|key(\..+)?)|\.decided\.\d+\.outcome\..+)?$/,
  /^addressLimit$/,
  /^fork$/,
  /^fork\.(terms|received)$/,
  /(^|\.)fork\.terms\..+$/,
  /^subAccounts\.\d+\.fork\.terms$/,
  /^mirrors$/,
  /^mirrors\.to\.\d+\.ended$/,
  /^mirrors\.waiting\.\d+\.command\..+$/,
  /^imported$/,
  /^following(\.orders\.\d+\.1\.(oid|before|ordered|isOver))?$/,
  /^subAccounts$/,
  /^transfers$/,
  /^keyOrders$/,
  /^dayStart$/,
  /^terms(\..+)?$/,
  /^house(\.shareKept|\.breaches\.\d+\.(coin|found)|\.rules\..+)?$/,
  /^liquidation$/,
  /^tripSums(\.(long|short))?$/,
];

const backwards = <Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> => new Map([...map].reverse());

/** Ways to every key of every object in the form. */
function* pathsOf(form: unknown, way: readonly string[] = []): Generator<readonly string[]> {
  if (typeof form !== 'object' || form === null) return;
  for (const [key, value] of Object.entries(form)) {
    if (!Array.isArray(form)) yield [...way, key];
    yield* pathsOf(value, [...way, key]);
  }
}

describe('snapshot: an account as text and back', () => {
  const busy = () =>
    given(leverage(2, 3), leverage(0, 4, 'isolated'))
      .given(place({ asset: 0, size: '0.001', limitPrice: '65001', cloid: '0x000000000000000000000000000000c1' }))
      .given(
        place(
          { size: '7', limitPrice: '100.1' },
          { limitPrice: '90' },
          { side: 'sell', size: '9', limitPrice: '120', reduceOnly: true },
        ),
      )
      .given(trade('SOL', ['buy', '121', '1']), book('SOL', [['99', '2']], [['100.1', '4']]));

  it('round trip gives the same state and the same text', () => {
    const { account } = busy();
    const text = toSnapshot(account, NEWEST_FORMAT);
    expect(fromSnapshot(text)).to.deep.equal(account);
    expect(toSnapshot(fromSnapshot(text), NEWEST_FORMAT)).to.equal(text);
  });

  it('an account before its first entry', () => {
    expect(fromSnapshot(toSnapshot(emptyAccount(ACCOUNT_ID), NEWEST_FORMAT))).to.deep.equal(emptyAccount(ACCOUNT_ID));
  });

  it('equal states give equal text whatever order the maps were filled in', () => {
    const { account } = busy();
    const reversed = {
      ...account,
      leverage: new Map([...account.leverage].reverse()),
      positions: new Map([...account.positions].reverse()),
    };
    expect(toSnapshot(reversed, NEWEST_FORMAT)).to.equal(toSnapshot(account, NEWEST_FORMAT));
  });

  it('a snapshot of a newer generation is refused by name', () => {
    const newer = toSnapshot(busy().account, NEWEST_FORMAT).replace(/"v":\d+\}$/, `"v":${NEWEST_FORMAT + 1}}`);
    expect(() => fromSnapshot(newer)).to.throw(NewerFormat, `A snapshot has format ${NEWEST_FORMAT + 1}`);
  });
});
