// The parts that the endpoints below /v1/billing need, and the answers to a refusal by billing.
import type { Billing } from '../../shared/billing/billing.ts';
import type { SubscribeRefusal } from '../../shared/billing/subscribe.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';

export interface BillingRouteParts extends AuthParts {
  readonly billing: Billing;
  readonly mongo: MongoConnection;
}

const refusals: Readonly<Record<SubscribeRefusal, [status: number, code: string, detail: string]>> = {
  dataLoss: [
    400,
    'confirm_data_loss',
    'This plan keeps less history; older history is removed. Send confirm_data_loss: true to go on.',
  ],
  unknown: [400, 'discount_unknown', 'There is no such discount code.'],
  expired: [400, 'discount_expired', 'This discount code has expired.'],
  usedUp: [409, 'discount_used_up', 'This discount code has been used as often as it may.'],
  alreadyUsed: [409, 'discount_already_used', 'You have used this discount code before.'],
  busy: [409, 'discount_busy', 'Another request of yours is using this discount code.'],
};

export function refusalOf(refusal: SubscribeRefusal): RequestError {
  const [status, code, detail] = refusals[refusal];
  return new RequestError(status, code, detail);
}
