// Under which terms the returns on the page are.
import type { AccountTerms } from '../../api/contract.ts';

interface Props {
  readonly terms: AccountTerms;
  /** The account of the terms, where more than one is shown. */
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
