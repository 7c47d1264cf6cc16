// Whether the venue is heard about the address that an account follows, as it is now.
import type { Mirror } from '../../api/contract.ts';
import { hearingText } from '../../domain/hearingText.ts';
import { exchangePath } from '../../state/paths.ts';
import { useAnswer } from '../useAnswer.ts';

const LOOK_MS = 15_000;

export function VenueHeard({ account }: { readonly account: string }) {
  const path = exchangePath(`account/mirror?account=${account}`);
  const { answer, error } = useAnswer<{ readonly mirror: Mirror | null }>(path, { everyMs: LOOK_MS });
  if (error) return 'not known: the server does not say';
  return answer === undefined ? '…' : hearingText(answer.body.mirror);
}
