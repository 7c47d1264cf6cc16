// A picture of rows over time: readers get a sentence made from the data, and the rows as a table on demand.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Column, DataTable } from '../DataTable.tsx';

interface Props<Row> {
  readonly label: string;
  /** For readers, beside the label: what the picture shows. */
  readonly sentence: string;
  readonly columns: readonly Column<Row>[];
  /** Oldest first. */
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Below the picture and the table. */
  readonly legend?: ComponentChildren;
  /** The picture, whose name is the given one. */
  readonly children: (name: string) => ComponentChildren;
}

export function ChartFigure<Row>({ label, sentence, columns, rows, keyOf, legend, children }: Props<Row>) {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure class="chart">
      {isTable ? (
        <DataTable caption={label} columns={columns} rows={rows.toReversed()} keyOf={keyOf} empty="No point yet." />
      ) : (
        children(`${label}: ${sentence}`)
      )}
      {legend}
      <figcaption class="row">
        <span class="quiet">{sentence}</span>
        <button type="button" class="small" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}
