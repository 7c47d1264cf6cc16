// Which page an address shows. Patterns have the form of the server's routes: `/fills/:tid`.

export interface RouteMatch<Page> {
  readonly page: Page;
  readonly params: Readonly<Record<string, string>>;
}

/** @returns undefined when no pattern has the form of the path */
export function matchRoute<Page>(path: string, pages: ReadonlyMap<string, Page>): RouteMatch<Page> | undefined {
  const parts = path.replace(/\/+$/, '').split('/');
  for (const [pattern, page] of pages) {
    const wanted = pattern.replace(/\/+$/, '').split('/');
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, i) => {
      const given = parts[i] as string;
      if (!part.startsWith(':')) return part === given;
      params[part.slice(1)] = decode(given);
      return given !== '';
    });
    if (fits) return { page, params };
  }
  return undefined;
}

/** Text that breaks the rules of percent signs stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
