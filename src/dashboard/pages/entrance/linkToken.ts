// The token of a mail's link. It is in the fragment of the address, which no browser sends; the page takes it out of the address,
// so that it is in no history either.

/** @returns undefined when the link was not opened as it is */
export function takeLinkToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? new URLSearchParams(location.search).get('token');
  history.replaceState(null, '', location.pathname);
  return token || undefined;
}
