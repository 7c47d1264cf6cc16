// An address without a page.
import { Entrance } from '../../parts/Entrance.tsx';

export function NotFound() {
  return (
    <Entrance title="There is no such page">
      <p>
        <a href="/overview">To the overview</a>
      </p>
    </Entrance>
  );
}
