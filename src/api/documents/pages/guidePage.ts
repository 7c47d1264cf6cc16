// /docs: the first steps, and below them every endpoint, shown by a library in this package that reads the contract in the
// browser. The steps need no script.
import { escaped, sentence } from '../../http/pages.ts';
import { DOCUMENT_PATH, type DocumentPage, STREAM_PAGE_PATH } from './documentPage.ts';
import { firstSteps } from './firstSteps.ts';

/** @param origin where users see this deployment */
export function guidePage(origin: string): DocumentPage {
  const steps = firstSteps(origin).map(
    ({ title, text, code }, at) =>
      `<h3>${at + 1}. ${title}</h3>\n<p>${sentence(text)}</p>\n<pre class="step">${escaped(code)}</pre>`,
  );
  return {
    title: 'Paper perpetuals exchange: API',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">\n',
    text: `<p>A client of Hyperliquid’s API works here with another base address. The steps below trade with curl alone, in the order in
which they are of use. What the socket sends is on <a href="${STREAM_PAGE_PATH}">a page of its own</a>; below the steps is every endpoint
with its fields, examples and errors.</p>
<h2>First steps</h2>
${steps.join('\n')}
<h2>Every endpoint</h2>`,
    end: `<div id="contract"></div>
<noscript>This part needs JavaScript. The contract itself is at <a href="${DOCUMENT_PATH}">${DOCUMENT_PATH}</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
`,
  };
}
