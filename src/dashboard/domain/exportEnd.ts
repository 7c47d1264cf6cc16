// How the file of an export ends: its last line says whether all is there (docs/export.md).

export type ExportFormat = 'jsonl' | 'csv';

/** The rows of a whole file, or why it is none. */
export type ExportEnd = { readonly rows: number } | { readonly why: string };

const BROKEN_OFF: ExportEnd = { why: 'It broke off before its last line.' };

/** @param tail the end of the file, from before its last line on */
export function exportEnd(tail: string, format: ExportFormat): ExportEnd {
  // A line without its end was cut off.
  if (!tail.endsWith('\n')) return BROKEN_OFF;
  const last = tail.trimEnd().split('\n').at(-1) ?? '';
  return format === 'csv' ? csvEnd(last) : jsonEnd(last);
}

function csvEnd(record: string): ExportEnd {
  const [kind, code = '', rows] = record.split(',');
  if (kind !== 'end') return BROKEN_OFF;
  return code === 'complete' ? { rows: Number(rows) } : { why: `The rest is missing: ${code}.` };
}

function jsonEnd(line: string): ExportEnd {
  if (!/^\{("hash":"[0-9a-f]{64}",)?"end":/.test(line)) return BROKEN_OFF;
  const { end } = JSON.parse(line) as {
    readonly end: { readonly complete: boolean; readonly rows: number; readonly error?: { readonly detail: string } };
  };
  return end.complete ? { rows: end.rows } : { why: `The rest is missing: ${end.error?.detail ?? 'no reason is given.'}` };
}
