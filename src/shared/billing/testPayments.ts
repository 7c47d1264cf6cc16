// The payment provider of laptops: no money moves. A payment is a document of ours. A button on its page pays it, and
// so does an operator's command. The page's address cannot be guessed.
import { randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import { collections, durable, isDuplicate, type MongoConnection } from '../mongo/mongo.ts';
import { makeOnce } from '../waiting.ts';
import type { PaymentProvider, PaymentRequest, PaymentState } from './paymentProvider.ts';

/** Where the API serves the page of a payment. */
export const TEST_PAYMENTS_PATH = '/v1/billing/test-payments';
/** 192 bits. */
const TOKEN_BYTES = 24;

export interface TestPayment {
  /** `<invoice>:<attempt>` */
  readonly _id: string;
  /** The secret in the address of its page; a request with it may pay. Unique. */
  readonly token: string;
  readonly invoiceId: string;
  readonly amountCents: number;
  readonly description: string;
  readonly state: PaymentState | 'refunded';
  readonly schema: 1;
}

export class TestPayments implements PaymentProvider {
  readonly name = 'test';
  readonly minimumCents = 1;
  readonly #payments: Collection<TestPayment>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#payments = mongo.db.collection<TestPayment>(collections.testPayments, durable);
    this.#ensureIndexes = makeOnce(() => this.#payments.createIndexes([{ key: { token: 1 }, unique: true }]));
  }

  async begin({ invoiceId, attempt, amountCents, description }: PaymentRequest): Promise<{ ref: string; payUrl: string }> {
    await this.#ensureIndexes();
    const ref = `${invoiceId}:${attempt}`;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    try {
      await this.#payments.insertOne({ _id: ref, token, invoiceId, amountCents, description, state: 'open', schema: 1 });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const payment = await this.#payments.findOne({ _id: ref });
    return { ref, payUrl: `${TEST_PAYMENTS_PATH}/${payment?.token ?? token}` };
  }

  async look(ref: string): Promise<PaymentState> {
    const payment = await this.#payments.findOne({ _id: ref });
    if (payment === null) return 'gone';
    return payment.state === 'refunded' ? 'paid' : payment.state;
  }

  async close(ref: string): Promise<'gone' | 'paid'> {
    await this.#payments.updateOne({ _id: ref, state: 'open' }, { $set: { state: 'gone' } });
    return (await this.look(ref)) === 'paid' ? 'paid' : 'gone';
  }

  async refund(ref: string): Promise<void> {
    await this.#payments.updateOne({ _id: ref, state: 'paid' }, { $set: { state: 'refunded' } });
  }

  /** The payment that a page's token names. */
  findByToken(token: string): Promise<TestPayment | null> {
    return this.#payments.findOne({ token });
  }

  /** Pays; answers whether it is paid now. A second call changes nothing. */
  async pay(ref: string): Promise<boolean> {
    await this.#payments.updateOne({ _id: ref, state: 'open' }, { $set: { state: 'paid' } });
    return (await this.look(ref)) === 'paid';
  }
}
