// The frame of pages for those who are not logged in.
import type { ComponentChildren } from 'preact';
import { Heading } from './Heading.tsx';

export function Entrance({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main id="page" class="entrance" tabIndex={-1}>
      <p class="brand">Paper perpetuals</p>
      <Heading title={title} />
      {children}
    </main>
  );
}
