// Values as a tearsheet shows them: rounded for readers, with the exact text beside for programs (`<data value>`).

import { escaped } from '../../api/http/pages.ts';
import { Decimal } from '../../shared/domain/decimal.ts';

/** How a value is shown. `gain` has a sign, `cost` is money without one. */
export type Kind = 'gain' | 'cost' | 'share' | 'return' | 'ratio' | 'count' | 'number' | 'seconds';

const NONE = '<td class="n">–</td>';

/** A cell of a table. @param value decimal text or a count; null = there is none */
export function cell(kind: Kind, value: string | number | null): string {
  if (value === null) return NONE;
  const exact = String(value);
  const isLoss = (kind === 'gain' || kind === 'return') && exact.startsWith('-');
  return `<td class="n${isLoss ? ' loss' : ''}"><data value="${escaped(exact)}">${escaped(shown(kind, exact))}</data></td>`;
}

export const textCell = (text: string): string => `<td>${escaped(text)}</td>`;

/** A moment to the second, UTC. @param iso ISO 8601 */
export const timeCell = (iso: string | null): string =>
  iso === null ? '<td>–</td>' : `<td><time datetime="${escaped(iso)}">${escaped(iso.slice(0, 19).replace('T', ' '))}</time></td>`;

export function shown(kind: Kind, exact: string): string {
  switch (kind) {
    case 'gain':
      return signed(exact, fixed(exact, 2));
    case 'cost':
      return fixed(exact, 2);
    case 'share':
      return `${fixed(new Decimal(exact).times(100), 2)} %`;
    case 'return':
      return `${signed(exact, fixed(new Decimal(exact).times(100), 2))} %`;
    case 'ratio':
      return fixed(exact, 2);
    case 'count':
    case 'number':
      return exact.replace('-', '−');
    case 'seconds':
      return duration(Number(exact));
  }
}

/** Half up, with a comma at each thousand. */
function fixed(value: string | Decimal, decimals: number): string {
  const [whole = '', rest] = new Decimal(value).toDecimalPlaces(decimals, Decimal.ROUND_HALF_UP).toFixed(decimals).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${rest}`.replace('-', '−');
}

const signed = (exact: string, text: string): string => (Number(exact) > 0 ? `+${text}` : text);

function duration(seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  return `${days} d ${hours} h ${minutes} min`;
}
