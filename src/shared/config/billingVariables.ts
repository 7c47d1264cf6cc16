// The variables of plans that are paid for: trials, invoices and who takes the payments.
import { Type } from '@sinclair/typebox';
import { text, whole } from './fields.ts';

export const billingVariables = {
  TRIAL_DAYS: whole('Length of a new account’s trial, days.', 3, 0, 36_500),
  SUBSCRIPTION_GRACE_DAYS: whole('How long an account may go on after what was paid for is over, days.', 3, 0, 36_500),
  EXPIRED_ACCOUNT_DAYS: whole(
    'An account that may not trade any more is closed after this many days: orders canceled, positions closed.',
    30,
    0,
    36_500,
  ),
  PAYMENT_PROVIDER: Type.Union([Type.Literal('test'), Type.Literal('stripe')], {
    description: 'Who takes payments: `stripe`, or `test`, where no money moves and a button pays.',
    default: 'test',
  }),
  ALLOW_TEST_PAYMENTS: Type.Union([Type.Literal('no'), Type.Literal('yes')], {
    description:
      'Whether test payments may be taken where others than this machine reach the API (HOST, PUBLIC_URL, PROXY_HOPS): a button pays there, too.',
    default: 'no',
  }),
  STRIPE_API_KEY: Type.String({
    description: 'Secret key of the Stripe account; needed for PAYMENT_PROVIDER=stripe.',
    default: '',
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    description: 'Secret that signs Stripe’s webhooks; needed with STRIPE_API_KEY.',
    default: '',
  }),
  STRIPE_API_BASE: text('Base address of Stripe’s API.', 'https://api.stripe.com'),
  PUBLIC_URL: text(
    'Where users see this deployment: its documentation has this address in it, and payers come back to `<PUBLIC_URL>/billing`.',
    'http://127.0.0.1:3000',
  ),
  INVOICE_POLL_INTERVAL_MS: whole(
    'How often open invoices are looked for that the provider is to be asked about, ms.',
    10_000,
    100,
  ),
  INVOICE_TTL_HOURS: whole(
    'How long an invoice can be paid, hours; one for the next period until its grace is over.',
    24,
    1,
    8760,
  ),
  RENEWAL_DAYS: whole('How many days before the end of what is paid for the next invoice is made.', 5, 0, 27),
};
