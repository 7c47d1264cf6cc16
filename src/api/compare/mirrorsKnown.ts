// What sources say of the what-ifs that their commands go to: by which numbers, how far, and whether they still do.

import type { AnswerOf, ForkView, MirrorsView, MirrorView } from '../../actors/core/messages/queryAnswer.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import type { Call, Services } from '../accounts/services.ts';
import type { Both } from '../domain/compare/differences.ts';

interface Asked {
  readonly call: Call;
  readonly member: AnswerOf<'groupMember'>;
}

export class MirrorsKnown {
  /** By source. */
  readonly #mirrors: ReadonlyMap<string, MirrorsView | undefined>;
  /** Sources that were asked for it. */
  readonly asked: number;

  private constructor(mirrors: ReadonlyMap<string, MirrorsView | undefined>, asked: number) {
    this.#mirrors = mirrors;
    this.asked = asked;
  }

  /** @param known accounts that were asked already @throws as the gateway does */
  static async ask(
    services: Pick<Services, 'gateway'>,
    known: Both<Asked>,
    whatIfs: readonly { readonly of: string }[],
  ): Promise<MirrorsKnown> {
    const mirrors = new Map(known.map(({ call, member }) => [call.caller.accountId, member.mirrors]));
    const others = [...new Set(whatIfs.map(({ of }) => of))].filter((of) => !mirrors.has(of));
    const [{ call }] = known;
    for (const of of others) {
      const source = { ...call, caller: { ...call.caller, accountId: of, address: of } };
      mirrors.set(of, (await askAccount(source, services, { kind: 'groupMember' })).mirrors);
    }
    return new MirrorsKnown(mirrors, others.length);
  }

  /** Undefined: the source knows none, or no longer. */
  of(source: string, whatIf: string): MirrorView | undefined {
    return this.#mirrors.get(source)?.to.find(({ account }) => account === whatIf);
  }

  /** Accounts whose commands still come to this one. */
  liveOf(whatIf: string, source: string | undefined): ReadonlySet<string> {
    const mirror = source === undefined ? undefined : this.of(source, whatIf);
    return new Set(source !== undefined && mirror !== undefined && mirror.ended === undefined ? [source] : []);
  }

  /** Commands that it has not had yet; null: it receives none. */
  waitingOf(whatIf: string, { of, received = 0 }: ForkView): number | null {
    const mirror = this.of(of, whatIf);
    if (mirror === undefined || mirror.ended !== undefined) return null;
    return Math.max(0, (this.#mirrors.get(of)?.last ?? 0) - mirror.start - received);
  }
}
