// What every page of this server says to the browser: it loads only what is named, is shown in no frame, and tells no other
// server where it was.

/** Sources by kind, as a Content-Security-Policy writes them; what is absent is not loaded. */
export interface PageSources {
  readonly script?: string;
  readonly style?: string;
  readonly img?: string;
  readonly font?: string;
  readonly connect?: string;
  /** Where relative addresses may begin. */
  readonly base?: string;
  /** Where forms may be sent. */
  readonly form?: string;
}

/**
 * Headers of a page that loads nothing but what is named.
 * @param options.isStrict forbids to make scripts and markup out of text, which some libraries do (Trusted Types)
 */
export function pageHeaders(sources: PageSources, { isStrict = false } = {}): Readonly<Record<string, string>> {
  const { base = "'none'", form = "'none'", ...loaded } = sources;
  const policy = [
    "default-src 'none'",
    ...Object.entries(loaded).map(([kind, source]) => `${kind}-src ${source}`),
    `base-uri ${base}`,
    `form-action ${form}`,
    "frame-ancestors 'none'",
    ...(isStrict ? ["require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}
