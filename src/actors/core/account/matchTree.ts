// A treap: a search tree by match order whose nodes stand by priorities that a hash of the order id gives. It is balanced
// whatever order the rows came in, and the same rows always give the same tree. A tree never changes: one with a row more
// or less shares all but the nodes on the way to that row.

import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';

/** The numbers of one resting order, read once. */
export interface RestingRow {
  readonly oid: number;
  readonly price: Decimal;
  /** The price as a number, which tells most prices apart. */
  readonly rough: number;
  readonly size: Decimal;
  /** Price times size, USD, of an order that can open a position; 0 when it is reduce-only. */
  readonly opening: Decimal;
  readonly reduceOnly: boolean;
}

/** Where a row stands, or would. */
export type MatchPlace = Pick<RestingRow, 'oid' | 'price' | 'rough'>;

/** Below zero when `a` matches before `b`. */
export type MatchOrder = (a: MatchPlace, b: MatchPlace) => number;

interface Sums {
  /** Of orders that can open a position: coins, and USD at their limits. */
  readonly size: Decimal;
  readonly opening: Decimal;
  /** Of reduce-only orders, coins. */
  readonly reducing: Decimal;
}

const NO_SUMS: Sums = { size: ZERO, opening: ZERO, reducing: ZERO };

export interface Node {
  readonly row: RestingRow;
  readonly priority: number;
  readonly better: Tree;
  readonly worse: Tree;
  readonly count: number;
  readonly reduceOnly: number;
  /** The smallest id of the reduce-only rows; infinity without one. */
  readonly oldestReduceOnly: number;
  /** Of this node and all below it, added up when a position first asks. */
  sums: Sums | undefined;
}

export type Tree = Node | undefined;

/** Best first. */
export function* inOrder(tree: Tree): Iterable<RestingRow> {
  const waiting: Node[] = [];
  for (let node = tree; node || waiting.length > 0; ) {
    for (; node; node = node.better) waiting.push(node);
    const next = waiting.pop() as Node;
    yield next.row;
    node = next.worse;
  }
}

/** The reduce-only rows, best first; the others are not looked at one by one. */
export function* reduceOnlyIn(tree: Tree): Iterable<RestingRow> {
  if (!tree || tree.reduceOnly === 0) return;
  yield* reduceOnlyIn(tree.better);
  if (tree.row.reduceOnly) yield tree.row;
  yield* reduceOnlyIn(tree.worse);
}

/** Number of rows. */
export const countOf = (tree: Tree): number => (tree ? tree.count : 0);

function nodeOf(row: RestingRow, priority: number, better: Tree, worse: Tree): Node {
  const count = 1 + countOf(better) + countOf(worse);
  const reduceOnly = (row.reduceOnly ? 1 : 0) + (better ? better.reduceOnly : 0) + (worse ? worse.reduceOnly : 0);
  const own = row.reduceOnly ? row.oid : Number.POSITIVE_INFINITY;
  const oldestReduceOnly = reduceOnly === 0 ? own : Math.min(own, oldestIn(better), oldestIn(worse));
  return { row, priority, better, worse, count, reduceOnly, oldestReduceOnly, sums: undefined };
}

/** The smallest id of the reduce-only rows; infinity without one. */
export const oldestIn = (tree: Tree): number => (tree ? tree.oldestReduceOnly : Number.POSITIVE_INFINITY);

/** Each node adds up once. */
export function sumsOf(tree: Tree): Sums {
  if (!tree) return NO_SUMS;
  if (tree.sums) return tree.sums;
  const [better, worse] = [sumsOf(tree.better), sumsOf(tree.worse)];
  const { reduceOnly, size, opening } = tree.row;
  const below = { size: better.size.plus(worse.size), opening: better.opening.plus(worse.opening) };
  const reducing = tree.reduceOnly === 0 ? ZERO : better.reducing.plus(worse.reducing);
  tree.sums = reduceOnly
    ? { ...below, reducing: reducing.plus(size) }
    : { size: below.size.plus(size), opening: below.opening.plus(opening), reducing };
  return tree.sums;
}

/** Order ids rise one by one; their hashes do not. Two of the same priority are told apart by their ids. */
function priorityOf(oid: number): number {
  let hash = Math.imul(oid ^ (oid / 0x1_0000_0000), 0x9e37_79b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const isAbove = (priority: number, oid: number, node: Node): boolean =>
  priority > node.priority || (priority === node.priority && oid > node.row.oid);

/** The tree with one row more. */
export function inserted(tree: Tree, row: RestingRow, compare: MatchOrder, priority = priorityOf(row.oid)): Node {
  if (!tree) return nodeOf(row, priority, undefined, undefined);
  if (isAbove(priority, row.oid, tree)) {
    const [better, worse] = splitBy(tree, row, compare);
    return nodeOf(row, priority, better, worse);
  }
  return compare(row, tree.row) < 0
    ? nodeOf(tree.row, tree.priority, inserted(tree.better, row, compare, priority), tree.worse)
    : nodeOf(tree.row, tree.priority, tree.better, inserted(tree.worse, row, compare, priority));
}

export function findRow(tree: Tree, place: MatchPlace, compare: MatchOrder): RestingRow | undefined {
  for (let node = tree; node; ) {
    const order = compare(place, node.row);
    if (order === 0) return node.row;
    node = order < 0 ? node.better : node.worse;
  }
  return undefined;
}

/** The tree without a row that is in it. */
export function removed(tree: Tree, place: MatchPlace, compare: MatchOrder): Tree {
  if (!tree) return undefined;
  const order = compare(place, tree.row);
  if (order === 0) return merged(tree.better, tree.worse);
  return order < 0
    ? nodeOf(tree.row, tree.priority, removed(tree.better, place, compare), tree.worse)
    : nodeOf(tree.row, tree.priority, tree.better, removed(tree.worse, place, compare));
}

/** What stands before the place, and what stands after it. */
function splitBy(tree: Tree, place: MatchPlace, compare: MatchOrder): [better: Tree, worse: Tree] {
  if (!tree) return [undefined, undefined];
  if (compare(tree.row, place) < 0) {
    const [better, worse] = splitBy(tree.worse, place, compare);
    return [nodeOf(tree.row, tree.priority, tree.better, better), worse];
  }
  const [better, worse] = splitBy(tree.better, place, compare);
  return [better, nodeOf(tree.row, tree.priority, worse, tree.worse)];
}

/** The best so many, and the rest. */
export function splitAt(tree: Tree, count: number): [best: Tree, rest: Tree] {
  if (!tree) return [undefined, undefined];
  const better = countOf(tree.better);
  if (count > better) {
    const [best, rest] = splitAt(tree.worse, count - better - 1);
    return [nodeOf(tree.row, tree.priority, tree.better, best), rest];
  }
  const [best, rest] = splitAt(tree.better, count);
  return [best, nodeOf(tree.row, tree.priority, rest, tree.worse)];
}

/** Both trees, all of `better` before all of `worse`. */
function merged(better: Tree, worse: Tree): Tree {
  if (!better) return worse;
  if (!worse) return better;
  return isAbove(better.priority, better.row.oid, worse)
    ? nodeOf(better.row, better.priority, better.better, merged(better.worse, worse))
    : nodeOf(worse.row, worse.priority, merged(better, worse.better), worse.worse);
}
