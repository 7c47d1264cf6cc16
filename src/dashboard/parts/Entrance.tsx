// The frame of pages for those who are not logged in.
import type { ComponentChildren } from 'preact';

export function Entrance({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main id="page" class="entrance" tabIndex={-1}>
      <p class="brand">Paper perpetuals</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
