// How a request ends that meets a fault of the failure lab. Its client sees what the venue would send, or nothing; the service's own
// metrics and logs do not count it among its failures.
import { RequestError } from '../../shared/errors.ts';

/** A refusal that the lab has drawn. */
export class LabFault extends RequestError {}

/** The request gets no answer. `closes`: its WebSocket ends too; over HTTP the connection always does. */
export class NoAnswer extends Error {
  readonly closes: boolean;

  constructor({ closes }: { readonly closes: boolean }) {
    super('the failure lab gives no answer');
    this.closes = closes;
  }
}

const REFUSALS = {
  '429': () => new LabFault(429, 'rate_limited', 'Too many requests.', { 'Retry-After': '1' }),
  '500': () => new LabFault(500, 'internal_error', 'Internal error.'),
  '502': () => new LabFault(502, 'bad_gateway', 'Bad gateway.'),
} as const;

export const refusalOf = (fault: keyof typeof REFUSALS): LabFault => REFUSALS[fault]();
