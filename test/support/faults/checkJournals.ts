// Promises for the journals of a deployment under any owners: no epoch, order id or trade id is ever given twice, a fenced owner
// writes nothing, no command runs twice.
import { expect } from 'chai';
import type { AccountEntry } from '../../../src/actors/core/messages/entry.ts';
import type { JournalTap, ShardPast } from './journalTap.ts';

export function checkJournals(tap: JournalTap): void {
  for (const [shard, past] of tap.shards.entries()) {
    checkEpochs(past, shard);
    checkIds(past, shard);
    checkCommands(past, shard);
  }
}

function checkEpochs({ commits, lost, goesOnAt, tokens }: ShardPast, shard: number): void {
  for (const [epoch, seen] of tokens) expect([...seen], `owners of shard ${shard} in epoch ${epoch}`).to.have.length(1);
  const inOrder = commits.map(({ epoch }) => epoch);
  expect(inOrder, `epochs of shard ${shard}`).to.deep.equal(inOrder.toSorted((a, b) => a - b));
  const lastLost = lost.at(-1)?.epoch ?? 0;
  const next = commits[goesOnAt]?.epoch ?? Number.POSITIVE_INFINITY;
  expect(next, `epoch of shard ${shard} after a loss`).to.be.greaterThan(lastLost);
}

/** Order ids and trade ids come from one counter: new ids of an entry lie above all earlier ids. */
function checkIds({ commits, lost, goesOnAt }: ShardPast, shard: number): void {
  let highest = 0;
  const check = (entry: AccountEntry): void => {
    const fresh = newIds(entry).filter((id) => !known.has(id));
    for (const id of fresh) known.add(id);
    if (fresh.length === 0) return;
    expect(Math.min(...fresh), `new ids of entry ${entry.seq} of ${entry.accountId}, shard ${shard}`).to.be.greaterThan(highest);
    highest = Math.max(...fresh);
  };
  const known = new Set<number>();
  const inOrder = [...commits.slice(0, goesOnAt), ...lost, ...commits.slice(goesOnAt)];
  for (const { entries } of inOrder) for (const entry of entries) check(entry);
  const tids = commits.flatMap(({ entries }) => entries.flatMap(tidsOf));
  expect(new Set(tids).size, `trade ids of shard ${shard}`).to.equal(tids.length);
}

function checkCommands({ commits }: ShardPast, shard: number): void {
  const seen = new Set<string>();
  for (const { entries } of commits) {
    for (const { accountId, command } of entries) {
      if (!command) continue;
      const name = `${accountId} ${command.incarnation} ${command.counter}`;
      expect(seen.has(name), `command ${name} of shard ${shard} ran before`).to.equal(false);
      seen.add(name);
    }
  }
}

const tidsOf = ({ events }: AccountEntry): number[] =>
  events.flatMap((event) => (event.type === 'orderFilled' ? [event.tid] : []));

const newIds = ({ events }: AccountEntry): number[] =>
  events.flatMap((event) => {
    if (event.type === 'orderFilled') return [event.tid, event.oid];
    return event.type === 'orderRested' || event.type === 'orderEnded' ? [event.order.oid] : [];
  });
