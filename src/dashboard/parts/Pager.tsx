// To newer and older rows of a list that is read page by page.

interface Props {
  /** Absent on the first page. */
  readonly onNewer?: () => void;
  /** Absent on the last page. */
  readonly onOlder?: () => void;
}

export function Pager({ onNewer, onOlder }: Props) {
  if (onNewer === undefined && onOlder === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={onNewer === undefined} onClick={onNewer}>
        Newer
      </button>
      <button type="button" disabled={onOlder === undefined} onClick={onOlder}>
        Older
      </button>
    </nav>
  );
}
