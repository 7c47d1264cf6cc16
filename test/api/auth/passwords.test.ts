import { expect } from 'chai';
import { type HashPlace, HashQueue, refuseWeakPassword } from '../../../src/api/auth/parts/passwords.ts';
import type { RequestError } from '../../../src/shared/errors.ts';
import { leastCpuMs } from '../../support/leastCpu.ts';

const stranger = (subject: string): HashPlace => ({ subject, isKnown: false });
const user = (subject: string): HashPlace => ({ subject, isKnown: true });

describe('hashQueue: who waits for a password hash, and who goes first', () => {
  /** A queue whose hashes end when the test says so. */
  function held(perNetworkMax = 3) {
    const queue = new HashQueue({ perNetworkMax });
    const begun: string[] = [];
    let end = (): void => undefined;
    const ask = (place: HashPlace): Promise<string> =>
      queue
        .run(place, () => {
          begun.push(place.subject);
          return new Promise<void>((resolve) => {
            end = resolve;
          });
        })
        .then(
          () => 'done',
          (error: RequestError) => error.code,
        );
    const step = async (): Promise<void> => {
      end();
      for (let n = 0; n < 20; n++) await Promise.resolve();
    };
    return { queue, begun, ask, step };
  }

  it('one network fills its own places and no more; others still wait', async () => {
    const { queue, ask } = held();
    const flood = Array.from({ length: 10 }, () => ask(stranger('192.0.2.1')));
    expect(queue.load).to.equal(4);
    void ask(stranger('192.0.2.2'));
    expect(queue.load).to.equal(5);
    expect(await Promise.all(flood.slice(4))).to.deep.equal(Array(6).fill('busy'));
  });

  it('many networks fill the line of strangers; a known user waits in another and goes first', async () => {
    const { queue, begun, ask, step } = held();
    const asked = Array.from({ length: 200 }, (_, n) => ask(stranger(`network-${n}`)));
    expect(queue.load).to.equal(129);
    expect(await asked[199]).to.equal('busy');
    void ask(user('user_1'));
    await step();
    expect(begun).to.deep.equal(['network-0', 'user_1']);
  });

  for (const [who, place, places] of [
    ['an address', stranger, 64],
    ['a known user', user, 8],
  ] as const) {
    it(`a newcomer waits for one hash of ${who} that has ${places} places, and not for all`, async () => {
      const { begun, ask, step } = held(64);
      for (let n = 0; n <= places; n++) void ask(place('flood'));
      void ask(place('newcomer'));
      void ask(place('another'));
      for (let n = 0; n < 5; n++) await step();
      expect(begun).to.deep.equal(['flood', 'flood', 'newcomer', 'another', 'flood']);
    });
  }

  it('two addresses cannot fill the line: their last ones give way to addresses with fewer', async () => {
    const { queue, begun, ask, step } = held(64);
    void ask(stranger('first'));
    const flood = Array.from({ length: 128 }, (_, n) => ask(stranger(`flood-${n % 2}`)));
    const newcomers = Array.from({ length: 3 }, (_, n) => ask(stranger(`newcomer-${n}`)));
    expect(queue.load).to.equal(129);
    expect(await Promise.all([flood[126], flood[127], flood[124]])).to.deep.equal(['busy', 'busy', 'busy']);
    expect(await ask(stranger('flood-0')), 'who has most gets no further place').to.equal('busy');
    for (let n = 0; n < 5; n++) await step();
    expect(begun).to.deep.equal(['first', 'flood-0', 'flood-1', 'newcomer-0', 'newcomer-1', 'newcomer-2']);
    for (const newcomer of newcomers.slice(0, 2)) expect(await newcomer).to.equal('done');
  });

  it('known users and strangers take turns, each line in the order of arrival', async () => {
    const { begun, ask, step } = held();
    for (const n of [0, 1, 2]) void ask(stranger(`s${n}`));
    for (const n of [0, 1]) void ask(user(`u${n}`));
    for (let n = 0; n < 5; n++) await step();
    expect(begun).to.deep.equal(['s0', 'u0', 's1', 'u1', 's2']);
  });

  it('one known user has 8 places; a place that was used is free again', async () => {
    const { queue, ask, step } = held();
    const asked = Array.from({ length: 10 }, () => ask(user('user_1')));
    expect(queue.load).to.equal(9);
    expect(await asked[9]).to.equal('busy');
    await step();
    void ask(user('user_1'));
    expect(queue.load).to.equal(9);
  });

  it('a hash that fails gives its place on', async () => {
    const queue = new HashQueue({ perNetworkMax: 3 });
    const failed = queue.run(stranger('a'), async () => {
      throw new Error('no memory');
    });
    const next = queue.run(stranger('a'), async () => 1);
    expect(await failed.catch((error: Error) => error.message)).to.equal('no memory');
    expect(await next).to.equal(1);
    expect(queue.load).to.equal(0);
  });
});

describe('weakPasswords: what guessing finds first may not be set', () => {
  const refusal = (password: string, email?: string): string | undefined => {
    try {
      refuseWeakPassword(password, email);
      return undefined;
    } catch (error) {
      return (error as RequestError).code;
    }
  };

  for (const password of [
    'password',
    'PASSWORD',
    'Password1',
    '12345678',
    'qwertyuiop',
    'iloveyou1',
    'letmein1',
    'p@ssw0rd',
    'password123',
  ]) {
    it(`${password} is common`, () => expect(refusal(password)).to.equal('weak_password'));
  }
  for (const password of [
    'a good password',
    'correct horse battery',
    'ein gutes Passwort',
    'é'.repeat(128),
    'tr0ub4dor&3x',
    ' 12345678',
  ]) {
    it(`${password.slice(0, 24)} is not`, () => expect(refusal(password)).to.equal(undefined));
  }

  const email = 'alice.miller@acme-trading.example';
  const cases: { password: string; refused: boolean }[] = [
    { password: 'alice.miller', refused: true },
    { password: 'AliceMiller1', refused: true },
    { password: 'alice.miller@acme-trading.example', refused: true },
    { password: 'acme-trading', refused: true },
    { password: 'millerAlice99!', refused: true },
    { password: 'PaperExchange', refused: true },
    { password: 'paperperps2026', refused: true },
    { password: 'alice likes trading', refused: false },
    { password: 'my paper boat', refused: false },
  ];
  for (const { password, refused } of cases) {
    it(`${password} of ${email} is ${refused ? 'refused' : 'taken'}`, () =>
      expect(refusal(password, email)).to.equal(refused ? 'weak_password' : undefined));
  }

  it('a short local part may be in any password', () => expect(refusal('bot robot botany', 'bot@b.co')).to.equal(undefined));

  it('the longest password and address take no time to judge', () => {
    const judge = () => refuseWeakPassword('abcd.'.repeat(25), `${'abcd.'.repeat(12)}x@${'abcd.'.repeat(30)}com`);
    expect(leastCpuMs(judge)).to.be.below(50);
  });
});
