// What the contracts of the endpoints by cookie have in common.
import { Type } from '@sinclair/typebox';
import { words } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { OUR_PAGE } from '../../http/browser.ts';

export const OurPage = Type.Object({
  'X-Requested-With': described(
    words(OUR_PAGE),
    'Said by pages of this deployment. `Origin` has to be that of PUBLIC_URL, or absent with `Sec-Fetch-Site: same-origin`.',
  ),
});

export const ExpiresIn = Type.Integer({ minimum: 1, description: 'Life of the access token, seconds.', examples: [900] });

/** Codes of 403. */
export const CROSS_SITE = ['cross_site'] as const;
