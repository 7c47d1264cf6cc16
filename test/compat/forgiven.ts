// Fields and values of our answers that a client library's response schemas refuse, with the reason why they stay.
export const FORGIVEN: Readonly<Record<string, string>> = {
  onlyIsolated: 'The specification has it on every asset; the venue sends it only when it is `true`.',
  ipAllowed: 'The venue gave the field up, and newer schemas refuse it.',
  outcomes: 'The venue had this list in `spotMeta` for a while; newer schemas refuse it, so it is there as the venue sends it.',
  'Twap Slice': 'The venue’s own name for the `orderType` of a TWAP’s slice; the schemas know only orders that clients place.',
};
