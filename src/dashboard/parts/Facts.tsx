// Terms with their values: the known facts of one thing. A term may carry its definition, which opens below it.
import type { ComponentChildren } from 'preact';

export interface Fact {
  readonly term: ComponentChildren;
  readonly value: ComponentChildren;
  /** The meaning of the term; shown on demand. */
  readonly help?: string;
}

interface Props {
  /** A fact that is false or undefined is left out. */
  readonly facts: readonly (Fact | false | undefined)[];
  /** `figures` stand in one row as long as there is room. */
  readonly kind?: 'facts' | 'figures';
}

export function Facts({ facts, kind = 'facts' }: Props) {
  return (
    <dl class={kind}>
      {facts.map((fact, i) =>
        fact ? (
          <div key={i}>
            <dt>
              {fact.term}
              {fact.help !== undefined && <Help text={fact.help} />}
            </dt>
            <dd>{fact.value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

/** A question mark that opens an explanation. */
export function Help({ text }: { readonly text: string }) {
  return (
    <details class="help">
      <summary aria-label="What it means">?</summary>
      <p>{text}</p>
    </details>
  );
}
