// A page that the link of a mail opens: a form whose button sends the link's token to an endpoint and shows what it
// answers. The token is in the link's fragment, which no browser sends: it reaches no server, log or referrer. The page
// takes it out of its own address, too.
import { createHash } from 'node:crypto';
import { pageHeaders } from '../../http/pages.ts';
import { StaticFile } from '../../http/staticFile.ts';

/** @param page.body the request's body as an expression of the page's script, which knows `token` and `form` */
export function linkPage(page: { title: string; fields: string; path: string; body: string }): StaticFile {
  const script = `
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
history.replaceState(null, '', location.pathname);
const form = document.querySelector('form'), told = document.querySelector('output');
if (token === '') {
  form.hidden = true;
  told.value = 'The token of the link is missing. Open the link of the mail as it is, or ask for a new mail.';
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await fetch('${page.path}', { method: 'POST', headers, body: JSON.stringify(${page.body}) });
    const { message, detail } = await answer.json();
    told.value = message ?? detail;
    if (answer.ok) form.hidden = true;
  } catch {
    told.value = 'The exchange does not answer. Try again.';
  }
});
`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page.title}</title>
<style>body { font: 1.1rem system-ui, sans-serif; max-width: 24rem; margin: 15vh auto; padding: 0 1rem }
input, button { font: inherit; display: block; width: 100%; box-sizing: border-box; margin: .5rem 0; padding: .5rem }
.choice input { display: inline; width: auto }</style>
<h1>${page.title}</h1>
<form>
${page.fields}
</form>
<output></output>
<noscript>This page needs JavaScript.</noscript>
<script>${script}</script>
</html>
`;
  // The page runs this script only.
  const headers = pageHeaders({
    script: `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    style: "'unsafe-inline'",
    connect: "'self'",
  });
  return new StaticFile({ type: 'text/html; charset=utf-8', read: () => html, headers });
}
