// A page of the dashboard in a browser, with all that went wrong in it: errors on the console, violations of its policy, requests
// that failed. Every test that opens one asks at its end whether there was any.
import { expect } from 'chai';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { WITHIN_MS } from '../until.ts';
import { openChromium } from './chromium.ts';
import { clickLink } from './inPage.ts';

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** The language that the browser tells. */
  readonly locale?: string;
}

export class WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly baseUrl: string;
  /** The faults, in words. */
  readonly faults: string[] = [];
  /** Paths that were asked for, with their method. */
  readonly requests: string[] = [];
  #expected: RegExp[] = [];

  private constructor(baseUrl: string, context: BrowserContext, page: Page) {
    this.baseUrl = baseUrl;
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      const isFault =
        (message.type() === 'error' || message.type() === 'warning') && !isAnswer(message.location().url, message.text());
      if (isFault) this.faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('request', (request) => this.requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // The page gives up questions whose answer it no longer shows.
      if (reason !== 'net::ERR_ABORTED') this.faults.push(`failed: ${request.method()} ${request.url()} ${reason}`);
    });
  }

  /** A context of its own: other cookies, other storage. */
  static async open(baseUrl: string, options: PageOptions = {}): Promise<WatchedPage> {
    const context = await (await openChromium()).newContext(contextOptions(options));
    context.setDefaultTimeout(WITHIN_MS);
    return WatchedPage.#in(baseUrl, context);
  }

  static async #in(baseUrl: string, context: BrowserContext): Promise<WatchedPage> {
    const page = await context.newPage();
    return new WatchedPage(baseUrl, context, page);
  }

  /** One more tab of the same reader. */
  tab(): Promise<WatchedPage> {
    return WatchedPage.#in(this.baseUrl, this.context);
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.baseUrl + path, { timeout: WITHIN_MS });
  }

  /** Logs in by the form. @param path where to, afterwards */
  async logIn({ email, password }: { readonly email: string; readonly password: string }, path = '/overview'): Promise<void> {
    await this.goto(`/login?back=${encodeURIComponent(path)}`);
    await this.page.getByLabel('E-mail').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Log in' }).click();
    await this.page.waitForURL(this.baseUrl + path, { timeout: WITHIN_MS });
  }

  /** Resolves when the page shows the text. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Another page of the dashboard, by a link of this one. */
  async follow(name: string): Promise<void> {
    await this.page.getByRole('link', { name, exact: true }).first().click();
  }

  /** A page of the dashboard without loading it again, as links inside of pages do it. Resolves when the page before is gone. */
  async followTo(path: string): Promise<void> {
    if (new URL(this.page.url()).pathname === path) return;
    await this.page.evaluate(clickLink, path);
    await this.page.locator('h1:not([data-left])').waitFor();
  }

  /** The texts of the rows of a table, cells separated by ` | `. */
  async rows(caption: string): Promise<string[]> {
    const rows = this.page.getByRole('table', { name: caption }).locator('tbody tr');
    const texts = await rows.evaluateAll((found: readonly Row[]) =>
      found.map(({ cells }) => [...cells].map(({ textContent }) => textContent.replace(/[ \t\n]+/g, ' ').trim()).join(' | ')),
    );
    return texts;
  }

  /** A fault that the test brings about itself. */
  expects(fault: RegExp): void {
    this.#expected.push(fault);
  }

  /** @throws AssertionError with what went wrong and was not expected */
  requireNoFault(): void {
    expect(this.faults.filter((fault) => !this.#expected.some((pattern) => pattern.test(fault)))).to.deep.equal([]);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/**
 * The browser complains of every status above 399, also where the status answers a question: whether there is a session, which a
 * visit asks first, and whether the exchange is well, which it may not be on a busy machine.
 */
const isAnswer = (url: string, text: string): boolean =>
  (url.endsWith('/v1/auth/session/refresh') && text.includes('401')) || (url.endsWith('/health') && text.includes('503'));

interface Row {
  readonly cells: Iterable<{ readonly textContent: string }>;
}

function contextOptions({ width = 1280, height = 800, theme = 'dark', locale }: PageOptions): BrowserContextOptions {
  return { viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce', ...(locale !== undefined && { locale }) };
}
