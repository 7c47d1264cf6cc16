// Parts that the pages of two accounts share: the choice of an account, and a report that is read in parts.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { GroupAccount } from '../../api/contract.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { nameOf } from '../../state/chosenAccount.ts';

interface Props {
  readonly label: string;
  readonly accounts: readonly GroupAccount[];
  readonly chosen: GroupAccount;
  readonly onChoose: (address: string) => void;
}

export function AccountChoice({ label, accounts, chosen, onChoose }: Props) {
  return (
    <label class="filter">
      {label}
      <select value={chosen.address} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {accounts.map((one) => (
          <option key={one.address} value={one.address}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PartsProps<Report> {
  /** Of the first part. */
  readonly path: string;
  /** Lines that stand there until it has come. */
  readonly lines: number;
  /** The labels of the two buttons. */
  readonly goOn: string;
  readonly again: string;
  readonly children: (report: Report) => ComponentChildren;
}

/**
 * A report whose parts are read by one request each. Each part goes on where the part before it ended; after the last part the
 * report begins again.
 */
export function InParts<Report extends { readonly next: string | null }>({
  path,
  lines,
  goOn,
  again,
  children,
}: PartsProps<Report>) {
  const [since, setSince] = useState<string>();
  const asked = useAnswer<Report>(since === undefined ? path : `${path}&since=${since}`);
  return (
    <>
      <Shown asked={asked} lines={lines}>
        {(report) => (
          <>
            {children(report)}
            {report.next !== null && (
              <button type="button" disabled={asked.isAsking} onClick={() => setSince(report.next ?? undefined)}>
                {goOn}
              </button>
            )}
          </>
        )}
      </Shown>
      <button
        type="button"
        disabled={asked.isAsking}
        onClick={() => (since === undefined ? asked.askAgain() : setSince(undefined))}
      >
        {again}
      </button>
    </>
  );
}
