import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { Context } from 'koa';
import { linkPage } from '../../../src/api/auth/linkPages.ts';

/** The effects of the page's script in a browser. */
async function opened(hash: string): Promise<{ told: string; isFormHidden: boolean }> {
  const page = linkPage({ title: 'T', fields: '', path: '/x', body: '{ token }' });
  let html = '';
  const ctx = { set: () => undefined, vary: () => undefined, acceptsEncodings: () => false, fresh: false };
  await page.answer(
    Object.defineProperty(ctx, 'body', { set: (value: Buffer) => (html = value.toString()) }) as unknown as Context,
  );
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  const form = { hidden: false, addEventListener: () => undefined };
  const output = { value: '' };
  const document = { querySelector: (name: string) => (name === 'form' ? form : output) };
  const history = { replaceState: () => undefined };
  runInNewContext(script, { location: { hash, pathname: '/' }, URLSearchParams, document, history });
  return { told: output.value, isFormHidden: form.hidden };
}

describe('the page that a mail’s link opens', () => {
  it('without a token says so at once and asks for nothing', async () => {
    for (const hash of ['', '#', '#token=', '#other=1']) {
      const { told, isFormHidden } = await opened(hash);
      expect(told, hash).to.match(/^The token of the link is missing\./);
      expect(isFormHidden, hash).to.equal(true);
    }
  });

  it('with one asks', async () => {
    expect(await opened('#token=abc')).to.deep.equal({ told: '', isFormHidden: false });
  });
});
