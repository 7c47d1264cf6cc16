// Imports of addresses into sub-accounts. The venue is asked first and the account decides then, by one command with all that was told; so
// a node that dies in between has changed nothing, and one that dies afterwards has left an entry of which the answer can be made again.
import { readEntry } from '../../actors/core/messages/entry.ts';
import { type ImportReport, reportOf } from '../../actors/core/messages/importReport.ts';
import { breakOver } from '../../actors/core/rebuildAccount.ts';
import { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import type { AccountGateway } from '../../api/accounts/accountGateway.ts';
import { payerOf } from '../../api/accounts/askVenue.ts';
import { keptEntries } from '../../api/accounts/keptJournal.ts';
import { askAccount, type Call, sendOptionsOf } from '../../api/accounts/services.ts';
import { assert } from '../../shared/domain/assert.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { FreshQuestions } from '../../shared/venue/venueQuestions.ts';
import { readAddress } from './askAddress.ts';
import { keptJournalOf } from './keptJournal.ts';

/** An answer of thousands of orders takes a node some tens of milliseconds: few at once leave its time to trading. */
const TURNS = { atOnce: 2, atOnceOfUser: 1, waiting: 64, waitingOfUser: 2 };

interface ImportWish {
  /** Address at the venue, lower case. */
  readonly source: string;
  readonly scale: string;
  readonly isDryRun: boolean;
}

/** `seq`: the entry; undefined after a dry run. */
export interface MadeImport {
  readonly report: ImportReport;
  readonly seq: number | undefined;
}

interface ImportsParts {
  readonly gateway: AccountGateway;
  readonly mongo: MongoConnection;
  readonly venue: Pick<FreshQuestions, 'ask'>;
  readonly now: () => number;
}

export class Imports {
  readonly #parts: ImportsParts;
  readonly #turns = new ReadingTurns(TURNS);

  constructor(parts: ImportsParts) {
    this.#parts = parts;
  }

  /**
   * Begins the call's account with what the address has, or says what it would begin with. The same once more is told as it was made.
   * @throws {RequestError} 400 `import_refused`, 409 `account_not_empty`; 429, 502 or 503 where the venue cannot be asked; 400
   *   `seq_forgotten` where an import was made before and is kept no longer
   */
  make(call: Call, wish: ImportWish): Promise<MadeImport> {
    return this.#turns.run(call.caller.userId, () => this.#make(call, wish));
  }

  async #make(call: Call, { source, scale, isDryRun }: ImportWish): Promise<MadeImport> {
    const { gateway } = this.#parts;
    const { imported } = await askAccount(call, { gateway }, { kind: 'groupMember' });
    if (!isDryRun && imported?.source === source && imported.scale === scale) return await this.#asMade(call, imported.seq);
    if (imported !== undefined) throw notEmpty(`It began with another import, of ${imported.source}.`);
    const taken = await readAddress(this.#parts, source, payerOf(call.caller));
    const command = { type: 'importAccount', source, scale, ...taken, ...(isDryRun && { isDryRun: true as const }) } as const;
    const outcome = await gateway.send(call.caller.accountId, command, sendOptionsOf(call));
    switch (outcome.type) {
      case 'imported':
        return { report: outcome.report, seq: isDryRun ? undefined : await this.#seqOf(call) };
      case 'importedBefore':
        return await this.#asMade(call, outcome.seq);
      case 'notEmpty':
        throw notEmpty(outcome.text);
      case 'refused':
        throw new RequestError(400, 'import_refused', outcome.text);
      default:
        throw new Error(`importAccount is answered by ${outcome.type}`);
    }
  }

  async #seqOf(call: Call): Promise<number> {
    const { imported } = await askAccount(call, { gateway: this.#parts.gateway }, { kind: 'groupMember' });
    assert(imported, 'an account that was imported knows it');
    return imported.seq;
  }

  async #asMade(call: Call, seq: number): Promise<MadeImport> {
    const { gateway, mongo } = this.#parts;
    const journal = await keptJournalOf({ services: { gateway }, mongo }, call);
    if (seq <= (journal.base?.seq ?? 0) || breakOver(journal.states, seq) !== undefined)
      throw new RequestError(400, 'seq_forgotten', `It was imported by entry ${seq}, which is no longer kept.`);
    for await (const { text } of keptEntries(journal, seq, seq)) {
      const event = readEntry(text).events.find((each) => each.type === 'imported');
      if (event !== undefined) return { report: reportOf(event), seq };
    }
    throw new Error(`entry ${seq} of ${call.caller.accountId} has no import`);
  }
}

const notEmpty = (why: string): RequestError =>
  new RequestError(409, 'account_not_empty', `Only an empty sub-account can begin with an address. ${why}`);
