import { createCipheriv } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { answerPlace, openAnswer, sealAnswer } from '../../../src/shared/redis/rememberedAnswers.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;

describe('rememberedAnswer: what Redis keeps of an answer opens with the client’s key alone', () => {
  const anyKey = fc.stringMatching(/^[!-~]{1,128}$/);
  const anyText = fc.oneof(
    fc.json(),
    fc.array(fc.json(), { minLength: 40 }).map((texts) => `[${texts.join(',')}]`),
  );

  it('every answer comes back as it was, compressed or not', () => {
    fc.assert(
      fc.property(anyKey, anyText, (key, text) => {
        const { seal } = answerPlace(ACCOUNT, key);
        expect(openAnswer(sealAnswer(text, seal), seal)).to.equal(text);
      }),
    );
  });

  it('not with another key, another account, or when a bit has changed', () => {
    const { seal, name } = answerPlace(ACCOUNT, 'key');
    const sealed = sealAnswer('{"type":"done"}', seal);
    for (const other of [answerPlace(ACCOUNT, 'Key'), answerPlace(`0x${'b'.repeat(40)}`, 'key')]) {
      expect(other.name).not.to.equal(name);
      expect(() => openAnswer(sealed, other.seal)).to.throw();
    }
    const bytes = Buffer.from(sealed, 'base64');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => openAnswer(changed.toString('base64'), seal)).to.throw();
    }
  });

  it('name and text tell nothing of key and answer, and the same answer is never sealed the same way', () => {
    const { name, seal } = answerPlace(ACCOUNT, 'my-key-17');
    expect(name).to.match(/^[0-9a-f]{32}$/);
    const sealed = sealAnswer('{"type":"done"}', seal);
    expect(sealAnswer('{"type":"done"}', seal)).not.to.equal(sealed);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.to.include('done');
  });

  it('a thousand orders take a third of their text', () => {
    const orders = Array.from({ length: 1000 }, (_, i) => ({
      ...{ type: 'resting', oid: 4096 + 16 * i },
      cloid: `0x${createCipheriv('aes-128-ecb', Buffer.alloc(16), null).update(`${i}`.padStart(16)).toString('hex')}`,
    }));
    const text = JSON.stringify({ type: 'orders', orders });
    const { seal } = answerPlace(ACCOUNT, 'k');
    expect(sealAnswer(text, seal).length).to.be.below(text.length / 2.5);
  });
});
