// How events of features change an account: sub-accounts and transfers, TWAPs, the dead man's switch, limits, and the failure lab. Copies have
// a file of their own (evolveCopies.ts).
import { unreachable } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { NO_LAB, withDecided, withDelayed, withNote, withoutHeld } from '../account/labState.ts';
import { type AddressLimit, type LimitsState, NOT_LIMITED, withOrder, withoutBreaches } from '../account/limits.ts';
import { withFiring } from '../account/scheduledCancel.ts';
import {
  type SubAccount,
  type TransfersWith,
  transfersWith,
  withReceived,
  withSent,
  withSettled,
} from '../account/subAccounts.ts';
import { runningTwap, startedTwap, triggeredTwap } from '../account/twap.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { FeatureEvent } from '../messages/featureEvents.ts';
import { evolveFollowing, evolveFork, evolveImport, evolveWhatIfs } from './evolveCopies.ts';
import { updateOrder, updateTrigger, type WritableAccount } from './writableAccount.ts';

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

export function evolveFeature(writable: WritableAccount, event: FeatureEvent, timeMs: number): void {
  const state = writable.account;
  switch (event.type) {
    case 'subAccountCreated':
      state.subAccounts = [...(state.subAccounts ?? []), madeSubAccount(event, timeMs)];
      return;
    case 'forked':
      evolveFork(state, event, timeMs);
      return;
    case 'imported':
      evolveImport(state, event, timeMs);
      return;
    case 'followBegun':
    case 'followEnded':
    case 'followTermBegun':
    case 'sourceOrderSeen':
    case 'sourceOrderEnded':
    case 'sourceFilled':
    case 'sourceTaken':
      evolveFollowing(writable, event);
      return;
    case 'subAccountRenamed':
      state.subAccounts = state.subAccounts?.map((each, at) => (at + 1 === event.number ? { ...each, name: event.name } : each));
      return;
    case 'mirrorAdded':
    case 'commandMirrored':
    case 'mirrorSettled':
    case 'mirrorEnded':
    case 'mirrorReceived':
      evolveWhatIfs(state, event);
      return;
    case 'transferSent':
    case 'transferReceived':
    case 'transferSettled':
      evolveTransfer(state, event, timeMs);
      return;
    case 'cancelScheduled':
      state.scheduledCancel = { ...state.scheduledCancel, dueMs: event.dueMs };
      return;
    case 'scheduledCancelFired':
      state.scheduledCancel = withFiring(state.scheduledCancel, timeMs);
      return;
    case 'twapStarted':
      writable.map('twaps').set(event.twap.twapId, startedTwap(event));
      return;
    case 'twapTriggered':
      writable.map('twaps').set(event.twap.twapId, triggeredTwap(runningTwap(state, event.twap.twapId), event));
      return;
    case 'twapSliced':
      writable.map('twaps').set(event.twapId, { ...runningTwap(state, event.twapId), nextSlice: event.slice + 1 });
      return;
    case 'twapEnded':
      writable.map('twaps').delete(event.twap.twapId);
      return;
    case 'requestsReserved':
      state.addressLimit = withReserved(state.addressLimit, event);
      return;
    case 'requestLetThrough':
      state.addressLimit = { ...(state.addressLimit ?? NOT_LIMITED), nextAtMs: event.nextAtMs };
      return;
    case 'keyOrderCounted':
      state.keyOrders = withOrder(state.keyOrders, event);
      return;
    case 'dayBegun':
      state.dayStart = { startMs: event.startMs, resultUsd: new Decimal(event.resultUsd) };
      if (state.house) state.house = withoutBreaches(state.house, 'dailyLoss');
      return;
    case 'houseRulesSet':
    case 'housePeakRaised':
    case 'houseRuleBroken':
    case 'houseHoursTurned':
      state.house = evolveLimits(state.house, event, timeMs);
      return;
    case 'actionDelayed':
    case 'delayedActionDecided':
    case 'delayedActionsDropped':
    case 'orderHeld':
    case 'orderLetGo':
      evolveLab(writable, event, timeMs);
      return;
    case 'labDrawn':
      return;
    default:
      unreachable(event);
  }
}

const madeSubAccount = ({ name, fork }: EventOf<'subAccountCreated'>, createdAtMs: number): SubAccount => ({
  ...{ name, createdAtMs },
  ...(fork && { fork }),
});

function withReserved(limit: AddressLimit = NOT_LIMITED, { weight }: EventOf<'requestsReserved'>): AddressLimit {
  return { ...limit, reserved: limit.reserved + weight };
}

type TransferEvent = Extract<AccountEvent, { type: 'transferSent' | 'transferReceived' | 'transferSettled' }>;
type WritableState = { -readonly [Field in keyof Account]: Account[Field] };

/** A deposit or withdrawal as far as figures of profit go. */
function evolveTransfer(state: WritableState, event: TransferEvent, timeMs: number): void {
  switch (event.type) {
    case 'transferSent': {
      const { to, number, after } = event;
      const usd = new Decimal(event.usd);
      moveCash(state, usd.neg());
      keep(state, to, withSent(transfersWith(state.transfers, to), { number, after, usd, sentAtMs: timeMs }));
      return;
    }
    case 'transferReceived':
      moveCash(state, new Decimal(event.usd));
      keep(state, event.from, withReceived(transfersWith(state.transfers, event.from), event));
      return;
    case 'transferSettled':
      keep(state, event.to, withSettled(transfersWith(state.transfers, event.to), event.number));
  }
}

function moveCash(state: WritableState, usd: Decimal): void {
  state.cash = state.cash.plus(usd);
  state.totals = { ...state.totals, netDepositsUsd: state.totals.netDepositsUsd.plus(usd) };
}

/** In a map of its own: a decision may share the one before with the account. */
function keep(state: WritableState, accountId: string, one: TransfersWith): void {
  state.transfers = new Map(state.transfers).set(accountId, one);
}

type LimitsEvent = Extract<AccountEvent, { type: 'houseRulesSet' | 'housePeakRaised' | 'houseRuleBroken' | 'houseHoursTurned' }>;

/** @returns undefined where there are no rules */
function evolveLimits(house: LimitsState | undefined, event: LimitsEvent, timeMs: number): LimitsState | undefined {
  if (event.type === 'houseRulesSet') {
    if (event.rules === null) return undefined;
    const { rules, peakUsd, turnedMs } = event;
    return { rules, peakUsd: new Decimal(peakUsd), turnedMs, breaches: [] };
  }
  if (house === undefined) return undefined;
  switch (event.type) {
    case 'housePeakRaised': {
      const { shareKept: _, ...others } = house;
      const { peakUsd, shareKept } = event;
      return { ...others, peakUsd: new Decimal(peakUsd), ...(shareKept !== undefined && { shareKept: new Decimal(shareKept) }) };
    }
    case 'houseHoursTurned':
      return { ...withoutBreaches(house, 'hours'), turnedMs: event.turnedMs };
    default: {
      const { type: _, ...broken } = event;
      return { ...house, breaches: [...house.breaches, { ...broken, timeMs }] };
    }
  }
}

type LabEvent = Extract<
  AccountEvent,
  { readonly type: 'actionDelayed' | 'delayedActionDecided' | 'delayedActionsDropped' | 'orderHeld' | 'orderLetGo' }
>;

function evolveLab(writable: WritableAccount, event: LabEvent, timeMs: number): void {
  const state = writable.account;
  const lab = state.lab ?? NO_LAB;
  switch (event.type) {
    case 'actionDelayed': {
      const { number, dueMs, note, command, oids, key } = event;
      state.lab = withDelayed(lab, { number, dueMs, note, command, ...(key && { key }) });
      const act = command.type === 'cancelOrders' ? 'cancel' : 'modify';
      for (const oid of oids) {
        const order = state.orders.get(oid) ?? state.triggers.get(oid);
        const notes = withNote(order?.lab, { ...note, act });
        if (state.triggers.has(oid)) updateTrigger(writable, oid, { lab: notes });
        else updateOrder(writable, oid, { lab: notes });
      }
      return;
    }
    case 'delayedActionDecided':
      state.lab = withDecided(lab, { number: event.number, atMs: timeMs, outcome: event.outcome });
      return;
    case 'delayedActionsDropped':
      state.lab = { ...lab, waiting: [] };
      return;
    case 'orderHeld':
      state.lab = { ...lab, held: [...lab.held, { oid: event.oid, untilMs: event.untilMs }] };
      return;
    case 'orderLetGo':
      state.lab = withoutHeld(lab, event.oid);
      return;
    default:
      unreachable(event);
  }
}
