// How many addresses this node follows, and how many of them it hears, for operators. Nodes that do not lead follow none.
import { Gauge, type Registry } from 'prom-client';
import type { MirrorLeader } from './mirrorLeader.ts';

export function registerMirrors(registry: Registry, leader: Pick<MirrorLeader, 'followed'>): void {
  new Gauge({
    name: 'api_mirrors',
    help: 'Mirrored addresses that this node follows: followed (all), connected (whose connection to the venue is open).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { all, connected } = leader.followed;
      this.set({ state: 'followed' }, all);
      this.set({ state: 'connected' }, connected);
    },
  });
}
