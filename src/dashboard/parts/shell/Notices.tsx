// What has happened to the account since the page was opened, the newest first.
import { age } from '../../domain/timeText.ts';
import { nowMs } from '../../state/clock.ts';
import { notices, unseen } from '../../state/shell/notices.ts';
import { Menu } from './Menu.tsx';

export function Notices() {
  const count = unseen.value;
  const label = count === 0 ? 'Notifications' : `Notifications, ${count} new`;
  const button = (
    <>
      <svg aria-hidden="true" width="14" height="14" viewBox="0 0 16 16" fill="currentColor">
        <path d="M8 1a1 1 0 0 0-1 1v.4A4.5 4.5 0 0 0 3.5 6.8V10L2 12v1h12v-1l-1.5-2V6.800A4.5 4.5 0 0 0 9 2.400V2a1 1 0 0 0-1-1zM6.200 14a1.900 1.900 0 0 0 3.600 0z" />
      </svg>
      {count > 0 && (
        <span class="count" aria-hidden="true">
          {count > 99 ? '99+' : count}
        </span>
      )}
    </>
  );
  const see = (): void => {
    unseen.value = 0;
  };
  return (
    <Menu label={label} button={button} class="notices" onOpen={see}>
      <NoticeList />
    </Menu>
  );
}

function NoticeList() {
  return (
    <>
      <h2>Notifications</h2>
      {notices.value.length === 0 ? (
        <p class="quiet">Nothing has happened since this page was opened.</p>
      ) : (
        <ol>
          {notices.value.map(({ kind, text, timeMs, to }, i) => (
            <li key={i} class={kind}>
              {to === undefined ? text : <a href={to}>{text}</a>} <span class="quiet">{age(nowMs.value - timeMs)}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
