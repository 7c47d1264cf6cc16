// The e-mail address, and whether it was shown to be the user's.
import { useState } from 'preact/hooks';
import { failureText } from '../../../api/answer.ts';
import { post } from '../../../api/http.ts';
import { user } from '../../../state/user.ts';

export function EmailAddress() {
  const [told, setTold] = useState<string>();
  const now = user.value;
  if (now === undefined) return null;
  const resend = (): void => {
    post<{ message: string }>('/v1/auth/resend-verification', undefined).then(
      ({ body }) => setTold(body.message),
      (failure: unknown) => setTold(failureText(failure)),
    );
  };
  return (
    <>
      <p>
        <bdi>{now.email}</bdi> <span class="quiet">{now.email_verified ? 'verified' : 'not verified yet'}</span>
      </p>
      {!now.email_verified && (
        <p>
          <button type="button" onClick={resend}>
            Send the mail to verify it again
          </button>
        </p>
      )}
      {told !== undefined && (
        <p class="note" role="status">
          {told}
        </p>
      )}
    </>
  );
}
