// Fields of our answers that a client library's response schemas refuse, by name, with the reason why they stay.
// docs/compatibility.md repeats the list; a test keeps the two equal.
export const FORGIVEN: Readonly<Record<string, string>> = {
  onlyIsolated: 'The specification has it on every asset; the venue sends it only when it is `true`.',
};
