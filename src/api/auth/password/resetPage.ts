// GET /reset-password: the page that the link of a password mail opens when no dashboard has one
// (PASSWORD_RESET_URL). It asks for the new password and sends it, with the link's token, to /v1/auth/reset-password.
import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { endpoint } from '../../contract/endpoint.ts';
import type { AuthRouter } from '../authParts.ts';

const SCRIPT = `
const form = document.querySelector('form'), told = document.querySelector('output');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const token = new URLSearchParams(location.search).get('token') ?? '';
  const body = JSON.stringify({ token, new_password: form.elements.password.value });
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await fetch('/v1/auth/reset-password', { method: 'POST', headers, body });
    const { message, detail } = await answer.json();
    told.value = message ?? detail;
    if (answer.ok) form.hidden = true;
  } catch {
    told.value = 'The exchange does not answer. Try again.';
  }
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Set a new password</title>
<style>body { font: 1.1rem system-ui, sans-serif; max-width: 24rem; margin: 15vh auto; padding: 0 1rem }
input, button { font: inherit; display: block; width: 100%; box-sizing: border-box; margin: .5rem 0; padding: .5rem }</style>
<h1>Set a new password</h1>
<form>
<label>New password, 8 to 128 characters
<input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required autofocus></label>
<button>Set it</button>
</form>
<output></output>
<noscript>This page needs JavaScript.</noscript>
<script>${SCRIPT}</script>
</html>
`;

/** The page runs this script only and sends no referrer: its address holds the token. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

export const resetPageEndpoint = endpoint({
  id: 'resetPage',
  method: 'get',
  path: '/reset-password',
  tag: 'Accounts',
  summary: 'The page that the link in a password mail opens.',
  credential: 'none',
  query: Type.Object({ token: Type.Optional(Type.String({ description: 'The token of the link.' })) }),
  answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
});

export function mountResetPage(router: AuthRouter): void {
  router.get(resetPageEndpoint.path, (ctx) => {
    ctx.set(HEADERS);
    ctx.body = PAGE;
  });
}
