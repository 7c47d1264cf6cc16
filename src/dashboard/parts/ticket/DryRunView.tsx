// What the ticket's order would do: asked for, told or not to be had. What it looks like when told comes with the first answer.
import { laterPage } from '../laterPage.tsx';
import type { DryRunShown } from './useDryRun.ts';

const ASKING = <p class="quiet">What it would do …</p>;
const DryRunTold = laterPage(() => import('./DryRunTold.tsx'), ASKING);

export function DryRunView({ shown, coin }: { readonly shown: DryRunShown; readonly coin: string }) {
  if (shown.is === 'asking') return ASKING;
  if (shown.is !== 'told') return <p class={shown.is === 'failed' ? 'error' : 'quiet'}>{shown.text}</p>;
  return <DryRunTold data={shown.data} coin={coin} />;
}
