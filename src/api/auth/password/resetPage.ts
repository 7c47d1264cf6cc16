// GET /reset-password: the page that the link of a password mail opens when no dashboard has one
// (PASSWORD_RESET_URL). It asks for the new password and sends it, with the link's token, to /v1/auth/reset-password.

import { Type } from '@sinclair/typebox';
import { CHEAP } from '../../domain/requestPrice.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { DashboardPart } from '../../http/staticFile.ts';
import { linkPage } from './linkPage.ts';

const plainPage = linkPage({
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
    const page = dashboard?.page ?? plainPage;
    return (ctx) => page.answer(ctx);
  },
});
