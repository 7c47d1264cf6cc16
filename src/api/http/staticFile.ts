// A file or document that is the same for all who ask. It is compressed once and answered from memory: no request makes
// work of its own, and a client that has it already gets a 304.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

/** Smaller texts are sent as they are. */
const COMPRESSED_BYTES_MIN = 512;
/** 1.5 MB of script take half a second of another thread, once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESSIBLE = /^(text\/|application\/(json|javascript)|image\/svg)/;

interface Variants {
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
  readonly digest: string;
}

export class StaticFile {
  readonly #type: string;
  readonly #read: () => Promise<string | Buffer> | string | Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  #variants: Promise<Variants> | undefined;

  /**
   * @param options.type content type
   * @param options.read gives the content; called at the first request, and again when it failed
   * @param options.maxAgeSeconds how long a client may use it without asking; absent = it asks each time, by its ETag
   * @param options.headers further ones
   */
  constructor(options: {
    type: string;
    read: () => Promise<string | Buffer> | string | Buffer;
    maxAgeSeconds?: number;
    headers?: Readonly<Record<string, string>>;
  }) {
    const { type, read, maxAgeSeconds, headers = {} } = options;
    this.#type = type;
    this.#read = read;
    const kept = maxAgeSeconds === undefined ? 'no-cache' : `public, max-age=${maxAgeSeconds}`;
    this.#headers = { ...headers, 'Cache-Control': kept };
  }

  /**
   * Answers with the smallest form that the client takes, or 304.
   * @param options.status of the answer, when it stands for something that is not there: it is sent whole then
   */
  async answer(ctx: Context, { status = 200 }: { status?: number } = {}): Promise<void> {
    const { plain, br, gzip, digest } = await this.#all();
    const forms = { br, gzip, identity: plain };
    const form = (['br', 'gzip'] as const).find((one) => forms[one] && ctx.acceptsEncodings(one) === one) ?? 'identity';
    ctx.set(this.#headers);
    ctx.set('Content-Type', this.#type);
    ctx.vary('Accept-Encoding');
    ctx.status = status;
    if (status === 200) {
      ctx.etag = `${digest}-${form}`;
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
    }
    if (form !== 'identity') ctx.set('Content-Encoding', form);
    ctx.body = forms[form];
  }

  #all(): Promise<Variants> {
    this.#variants ??= this.#make().catch((error: unknown) => {
      this.#variants = undefined;
      throw error;
    });
    return this.#variants;
  }

  async #make(): Promise<Variants> {
    const plain = Buffer.from(await this.#read());
    const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    if (plain.length < COMPRESSED_BYTES_MIN || !COMPRESSIBLE.test(this.#type)) return { plain, digest };
    const [br, zipped] = await Promise.all([promisify(brotliCompress)(plain, BROTLI), promisify(gzip)(plain)]);
    return { plain, br, gzip: zipped, digest };
  }
}

/** The dashboard's page, which then stands where links of mails and payers come to. */
export interface DashboardPart {
  /** Absent: the dashboard is not served. */
  readonly dashboard?: { readonly page: StaticFile } | undefined;
}
