// Whether the venue is heard about the address that an account follows, in plain words.

interface Hearing {
  readonly state: 'starting' | 'following';
  readonly connected: boolean;
  readonly caught_up: boolean;
}

/** @param mirror null: the account follows none any more */
export function hearingText(mirror: Hearing | null): string {
  if (mirror === null) return 'no longer followed';
  if (mirror.state === 'starting') return 'beginning to follow';
  if (!mirror.connected) return 'not heard at the moment; what is missed is made up for later';
  return mirror.caught_up ? 'heard, and nothing is missed' : 'heard; what was missed is being made up for';
}
