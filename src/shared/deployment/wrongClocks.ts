// Which machines of a deployment have a wrong clock, in words for its operators. Each process compares its own with
// Redis's and announces what it finds.
import type { Announcement } from './membership.ts';

/** @param processes the hash `{deployment}:processes`: process -> `<ms> <JSON>` */
export function wrongClocks(processes: Readonly<Record<string, string>>): string[] {
  return Object.entries(processes).flatMap(([name, value]) => {
    const { clockAheadMs } = JSON.parse(value.slice(value.indexOf(' ') + 1)) as Announcement;
    if (clockAheadMs === undefined) return [];
    const seconds = (Math.abs(clockAheadMs) / 1000).toFixed(1);
    return [`The clock of ${name}’s machine is ${seconds} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} Redis’s`];
  });
}
