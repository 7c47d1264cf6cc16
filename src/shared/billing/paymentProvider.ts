// The port to a payment provider. A provider may be down, slow or answer twice, so each call may be repeated and
// changes nothing the second time.

export interface PaymentRequest {
  readonly invoiceId: string;
  /** Counts from 1; a repetition of one attempt gives the same payment again. */
  readonly attempt: number;
  readonly email: string;
  readonly amountCents: number;
  /** The text that the payer reads: `Plan pro, one month`. */
  readonly description: string;
}

/** A payment as the provider knows it. `gone`: it can no longer be paid, and was not. */
export type PaymentState = 'open' | 'paid' | 'gone';

export interface PaymentProvider {
  readonly name: 'test' | 'stripe';
  /** The smallest amount that it can charge, cents. A smaller invoice is free. */
  readonly minimumCents: number;
  /** Prepares a payment. @throws {RetryableError} */
  begin(charge: PaymentRequest): Promise<{ readonly ref: string; readonly payUrl: string }>;
  /** @throws {RetryableError} */
  look(ref: string): Promise<PaymentState>;
  /** Stops accepting the payment; answers `paid` when it was paid before. @throws {RetryableError} */
  close(ref: string): Promise<'gone' | 'paid'>;
  /** Refunds a paid payment. @throws {RetryableError} */
  refund(ref: string): Promise<void>;
}
