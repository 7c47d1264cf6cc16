// Under which terms the returns on the page are.
import type { AccountTerms } from '../../api/contract.ts';

interface Props {
  readonly terms: AccountTerms;
  /** Whose they are, where more than one account is shown. */
  readonly name?: string;
}

export function TermsNote({ terms: { text }, name }: Props) {
  return (
    <p class="quiet">
      {name !== undefined && (
        <>
          <bdi>{name}</bdi>:{' '}
        </>
      )}
      {text}
    </p>
  );
}
