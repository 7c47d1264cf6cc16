// Says at the last page of a list that nothing older is kept.

export function HistoryEnd({ next }: { readonly next: string | null | undefined }) {
  return next === null ? <p class="quiet historyEnd">The kept history ends here.</p> : null;
}
