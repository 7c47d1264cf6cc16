// axe-core in a page: its findings against the rules of accessibility, as one line each that names the element.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Found {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** The result has findings only, and axe-core fetches no file once more: the rules that are on need none. */
const RUN = "axe.run({ resultTypes: ['violations'], preload: false })";

/** Faults of the page as it is now; none in a good one. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Half a megabyte: once for a document, whatever the number of widths that it is looked at in.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(RUN)) as { violations: readonly Found[] };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${target.join(' ')}\n${failureSummary}`),
  );
}
