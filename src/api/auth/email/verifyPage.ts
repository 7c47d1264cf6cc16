// GET /verify-email: the page that the link of a verification mail opens when no dashboard has one (VERIFY_EMAIL_URL).
// It sends the link's token to /v1/auth/verify-email when its button is pressed, not when it is opened: programs that
// look into the links of mails must not verify an address.

import { Type } from '@sinclair/typebox';
import { CHEAP } from '../../domain/requestPrice.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { DashboardPart } from '../../http/staticFile.ts';
import { linkPage } from '../password/linkPage.ts';

const plainPage = linkPage({
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
    const page = dashboard?.page ?? plainPage;
    return (ctx) => page.answer(ctx);
  },
});
