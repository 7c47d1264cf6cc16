// The links of mails, and the plain pages that they open where no dashboard is served.

import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { CHEAP } from '../domain/requestPrice.ts';
import { endpoint } from '../http/endpoint.ts';
import { pageHeaders } from '../http/pages.ts';
import { type DashboardPart, StaticFile } from '../http/staticFile.ts';

/** The link of a mail. Its token is in the fragment, which no browser sends to a server or in a referrer. */
export function linkOf(page: string, token: string): string {
  const link = new URL(page);
  link.hash = new URLSearchParams({ token }).toString();
  return link.href;
}

// A page that the link of a mail opens: a form whose button sends the link's token to an endpoint and shows what it answers.
// The token is in the link's fragment, which no browser sends: it reaches no server, log or referrer. The page takes it out of
// its own address, too.

/** @param page.body the request's body as an expression of the page's script, which knows `token` and `form` */
export function linkPage(page: { title: string; fields: string; path: string; body: string }): StaticFile {
  const script = `
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
history.replaceState(null, '', location.pathname);
const form = document.querySelector('form'), told = document.querySelector('output');
if (token === '') {
  form.hidden = true;
  told.value = 'The token of the link is missing. Open the link of the mail as it is, or ask for a new mail.';
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await fetch('${page.path}', { method: 'POST', headers, body: JSON.stringify(${page.body}) });
    const { message, detail } = await answer.json();
    told.value = message ?? detail;
    if (answer.ok) form.hidden = true;
  } catch {
    told.value = 'The exchange does not answer. Try again.';
  }
});
`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page.title}</title>
<style>body { font: 1.1rem system-ui, sans-serif; max-width: 24rem; margin: 15vh auto; padding: 0 1rem }
input, button { font: inherit; display: block; width: 100%; box-sizing: border-box; margin: .5rem 0; padding: .5rem }
.choice input { display: inline; width: auto }</style>
<h1>${page.title}</h1>
<form>
${page.fields}
</form>
<output></output>
<noscript>This page needs JavaScript.</noscript>
<script>${script}</script>
</html>
`;
  // The page runs this script only.
  const headers = pageHeaders({
    script: `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    style: "'unsafe-inline'",
    connect: "'self'",
  });
  return new StaticFile({ type: 'text/html; charset=utf-8', read: () => html, headers });
}

// GET /reset-password: the page that the link of a password mail opens when no dashboard has one (PASSWORD_RESET_URL). It asks
// for the new password and sends it, with the link's token, to /v1/auth/reset-password.

const plainResetPage = linkPage({
  title: 'Set a new password',
  fields: `<label>New password, 8 to 128 characters
<input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required autofocus></label>
<label class="choice"><input name="keys" type="checkbox"> Revoke all API keys, too</label>
<button>Set it</button>`,
  path: '/v1/auth/reset-password',
  body: '{ token, new_password: form.elements.password.value, revoke_keys: form.elements.keys.checked }',
});

export const resetPageEndpoint = endpoint({
  id: 'resetPage',
  method: 'get',
  path: '/reset-password',
  tag: 'Users',
  summary: 'The page that the link in a password mail opens.',
  credential: 'none',
  price: CHEAP,
  isKept: true,
  description: 'The token is in the fragment: `/reset-password#token=…`.',
  answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  handle: ({ dashboard }: DashboardPart) => {
    const page = dashboard?.page ?? plainResetPage;
    return (ctx) => page.answer(ctx);
  },
});

// GET /verify-email: the page that the link of a verification mail opens when no dashboard has one (VERIFY_EMAIL_URL). It sends
// the link's token to /v1/auth/verify-email when its button is pressed, not when it is opened: programs that look into the
// links of mails must not verify an address.

const plainVerifyPage = linkPage({
  title: 'Verify your e-mail address',
  fields: '<p>Confirm only if you have registered an account with this address.</p>\n<button>It is my account</button>',
  path: '/v1/auth/verify-email',
  body: '{ token }',
});

export const verifyPageEndpoint = endpoint({
  id: 'verifyPage',
  method: 'get',
  path: '/verify-email',
  tag: 'Users',
  summary: 'The page that the link in a verification mail opens.',
  credential: 'none',
  price: CHEAP,
  isKept: true,
  description: 'The token is in the fragment: `/verify-email#token=…`.',
  answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  handle: ({ dashboard }: DashboardPart) => {
    const page = dashboard?.page ?? plainVerifyPage;
    return (ctx) => page.answer(ctx);
  },
});
