// What sources say of the what-ifs that their commands go to: by which numbers, how far, and whether they still do.
import type { AnswerOf, ForkView, WhatIfProgress, WhatIfQueueView } from '../../actors/core/messages/queryAnswer.ts';
import { askAccount, type Call, type Services } from '../../api/accounts/services.ts';
import type { Both } from './rules/differences.ts';

interface Asked {
  readonly call: Call;
  readonly member: AnswerOf<'groupMember'>;
}

export class WhatIfsKnown {
  readonly #bySource: ReadonlyMap<string, WhatIfQueueView | undefined>;
  /** Sources that were asked for it. */
  readonly asked: number;

  private constructor(bySource: ReadonlyMap<string, WhatIfQueueView | undefined>, asked: number) {
    this.#bySource = bySource;
    this.asked = asked;
  }

  /** @param known accounts that were asked already @throws as the gateway does */
  static async ask(
    services: Pick<Services, 'gateway'>,
    known: Both<Asked>,
    whatIfs: readonly { readonly of: string }[],
  ): Promise<WhatIfsKnown> {
    const bySource = new Map(known.map(({ call, member }) => [call.caller.accountId, member.mirrors]));
    const others = [...new Set(whatIfs.map(({ of }) => of))].filter((of) => !bySource.has(of));
    const [{ call }] = known;
    for (const of of others) {
      const source = { ...call, caller: { ...call.caller, accountId: of, address: of } };
      bySource.set(of, (await askAccount(source, services, { kind: 'groupMember' })).mirrors);
    }
    return new WhatIfsKnown(bySource, others.length);
  }

  /** Undefined: the source knows none, or no longer. */
  of(source: string, whatIf: string): WhatIfProgress | undefined {
    return this.#bySource.get(source)?.to.find(({ account }) => account === whatIf);
  }

  /** Accounts whose commands still come to this one. */
  liveOf(whatIf: string, source: string | undefined): ReadonlySet<string> {
    const found = source === undefined ? undefined : this.of(source, whatIf);
    return new Set(source !== undefined && found !== undefined && found.ended === undefined ? [source] : []);
  }

  /** Commands that it has not had yet; null: it receives none. */
  waitingOf(whatIf: string, { of, received = 0 }: ForkView): number | null {
    const found = this.of(of, whatIf);
    if (found === undefined || found.ended !== undefined) return null;
    return Math.max(0, (this.#bySource.get(of)?.last ?? 0) - found.start - received);
  }
}
