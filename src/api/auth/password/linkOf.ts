// The link of a mail. Its token is in the fragment, which no browser sends to a server or in a referrer.

export function linkOf(page: string, token: string): string {
  const link = new URL(page);
  link.hash = new URLSearchParams({ token }).toString();
  return link.href;
}
