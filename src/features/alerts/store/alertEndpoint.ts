// An endpoint that alerts are sent to, and how it is stored. It remembers for each account of its user up to which journal entry its
// alerts have been made (`at`), so the history itself is the queue of what is still to be told.

import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { type AlertChannel, type AlertKind, type AlertSettings, DEFAULT_SETTINGS } from '../rules/alertKinds.ts';
import type { DrawdownState } from '../rules/thresholds.ts';
import type { NewDelivery } from './alertDeliveries.ts';
import type { SecretNote } from './webhook.ts';

/** The version that this build writes. */
export const ENDPOINT_SCHEMA = 1;

/** Kinds that are told from the audit log. */
export const ACT_KINDS = ['new_key', 'new_device'] as const satisfies readonly AlertKind[];
export type ActKind = (typeof ACT_KINDS)[number];

interface EndpointOfUser {
  /** `ale_…` */
  readonly _id: string;
  readonly userId: string;
  /** `<user>:<number>`, unique: so requests at once cannot make more than the plan allows. */
  readonly place: string;
  readonly kinds: readonly AlertKind[];
  /** Absent = DEFAULT_SETTINGS. */
  readonly settings?: AlertSettings;
  /** The one account that it is about; absent = all of the user. */
  readonly account?: string;
  /** `unproven`: no chat has sent its code yet. `paused` by its user, or because nothing arrived for a day. */
  readonly state: 'unproven' | 'active' | 'paused';
  readonly pausedWhy?: 'user' | 'failing';
  /** Exchange time: events before it are not told. */
  readonly createdAt: Date;
  /** By account: alerts of all entries up to this one are made. */
  readonly at: Readonly<Record<string, number>>;
  /** By account: where it is below the peak of its equity, as of `at`. */
  readonly drawdowns?: Readonly<Record<string, DrawdownState>>;
  /** By account: which margin thresholds were told. */
  readonly margins?: Readonly<Record<string, MarginNote>>;
  /** By account: the last request, ms, of a silence that was told. */
  readonly silences?: Readonly<Record<string, number>>;
  /** By account: the names of the broken house rules that were told and are still broken. */
  readonly brokenRules?: Readonly<Record<string, readonly string[]>>;
  /** The end of a trial that was told: `<ms> <stage>`. */
  readonly trialTold?: string;
  /** New keys and devices up to this time were told; absent = `createdAt`. */
  readonly actsUpTo?: Date;
  /** Since when these kinds are wanted, where that is later than `createdAt`: what came before is not told. */
  readonly actsSince?: Readonly<Partial<Record<ActKind, Date>>>;
  /** When a delivery may be tried next; null = none waits. */
  readonly turnAt: Date | null;
  /** Rises with each change of what waits: a turn that ends leaves `turnAt` alone when it was not the last to look. */
  readonly turn: number;
  readonly lastSuccessAt?: Date;
  /**
   * The end of the first turn that failed, or was slow, since one that did not; of a webhook that has taken nothing yet, when it was made.
   * Such endpoints have other places: they hold up each other.
   */
  readonly failingSince?: Date;
  readonly schema: typeof ENDPOINT_SCHEMA;
}

/** Where it goes. */
type Target = ToWebhook | ToMail | ToTelegram;

export interface ToWebhook {
  readonly channel: 'webhook';
  readonly url: string;
  readonly secret: SecretNote;
  /** The secret before a rotation, which signs beside the new one until then. */
  readonly secretBefore?: SecretNote & { readonly until: Date };
}

/** To the verified address of the user, as it is when a mail is sent. */
export interface ToMail {
  readonly channel: 'mail';
}

export interface ToTelegram {
  readonly channel: 'telegram';
  /** Absent while `unproven`. */
  readonly chat?: TelegramChat;
  /** What the chat has to send to the bot; gone when it has. */
  readonly code?: ChatCode;
  /** When the chat was bound; gone when the message that tells it so is made. */
  readonly toGreet?: Date;
}

export interface TelegramChat {
  /** A whole number of up to 52 bits, as text. */
  readonly id: string;
  /** As its user calls it, to be recognised: up to 64 characters of any kind. */
  readonly name: string;
}

interface ChatCode {
  /** SHA-256 in hex: the code itself is not stored. */
  readonly digest: string;
  readonly until: Date;
}

export type AlertEndpointDocument = EndpointOfUser & Target;
/** A new one, before it has its place. */
export type NewEndpoint = Omit<EndpointOfUser, 'place'> & Target;

/** As MongoDB has it, of any version. */
export interface StoredEndpoint
  extends Omit<EndpointOfUser, 'schema'>,
    Partial<Omit<ToWebhook, 'channel'>>,
    Partial<Omit<ToTelegram, 'channel'>> {
  readonly channel: AlertChannel;
  readonly schema: number;
}

/** A newer build has made the endpoint. Nothing is wrong with it: a newer build has to read it. */
class NewerEndpoint extends Error {
  override name = 'NewerEndpoint';
}

/** @throws {NewerEndpoint} when it is of a version after ENDPOINT_SCHEMA */
export function readEndpoint(stored: StoredEndpoint): AlertEndpointDocument {
  if (stored.schema > ENDPOINT_SCHEMA)
    throw new NewerEndpoint(
      `The endpoint ${stored._id} has version ${stored.schema}; this build reads up to ${ENDPOINT_SCHEMA}.`,
    );
  return stored as AlertEndpointDocument;
}

export interface MarginNote {
  readonly told: readonly string[];
  /** Rises with each change, and names it: of two looks at once one makes it. */
  readonly changes: number;
  /** Deliveries of the last change, which are written after it; gone when they are. */
  readonly toWrite?: readonly NewDelivery[];
}

export const settingsOf = ({ settings }: Pick<AlertEndpointDocument, 'settings'>): AlertSettings => settings ?? DEFAULT_SETTINGS;

// What an endpoint remembers of alerts that stand in no history: which margin thresholds, silences and ends of trials were told. Each
// note is written after the deliveries that it is about, except a margin threshold's: the ratio may have come back when a process that
// died is replaced, so the change and its deliveries are one write, and the deliveries follow.

export class AlertNotes {
  readonly #endpoints: Collection<StoredEndpoint>;

  constructor(mongo: MongoConnection) {
    this.#endpoints = mongo.db.collection<StoredEndpoint>(collections.alertEndpoints, durable);
  }

  async trialTold(id: string, trialTold: string): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $set: { trialTold } });
  }

  /** New keys and devices are told up to a time. */
  async actsUpTo(ids: readonly string[], time: Date): Promise<void> {
    await this.#endpoints.updateMany({ _id: { $in: [...ids] } }, { $max: { actsUpTo: time } });
  }

  /** A silence that began at a time was told. */
  async silenceTold(id: string, account: string, sinceMs: number): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $max: { [`silences.${account}`]: sinceMs } });
  }

  /** These broken house rules of an account were told; others of it are not broken any more. Nothing where the kind is not wanted any more. */
  async rulesTold(id: string, account: string, names: readonly string[]): Promise<void> {
    await this.#endpoints.updateOne({ _id: id, kinds: 'house_rule' }, { $set: { [`brokenRules.${account}`]: names } });
  }

  /**
   * Notes which thresholds are told from now on, with the deliveries that say so.
   * @param before as it was read; undefined = there was none
   * @returns false when another look was first, or the kind is not wanted any more
   */
  async marginChanged(
    id: string,
    account: string,
    change: {
      readonly before: MarginNote | undefined;
      readonly told: readonly string[];
      readonly toWrite: readonly NewDelivery[];
    },
  ): Promise<boolean> {
    const { before, told, toWrite } = change;
    const note: MarginNote = { told, changes: (before?.changes ?? 0) + 1, ...(toWrite.length > 0 && { toWrite }) };
    const place = `margins.${account}`;
    const asRead = before === undefined ? { [place]: { $exists: false } } : { [`${place}.changes`]: before.changes };
    const wanted = { _id: id, kinds: 'margin', ...asRead } as const;
    const { modifiedCount } = await this.#endpoints.updateOne(wanted, { $set: { [place]: note } });
    return modifiedCount === 1;
  }

  /** The deliveries of a change are written. */
  async marginWritten(id: string, account: string, changes: number): Promise<void> {
    const place = `margins.${account}`;
    await this.#endpoints.updateOne({ _id: id, [`${place}.changes`]: changes }, { $unset: { [`${place}.toWrite`]: '' } });
  }
}
