// The gateway of a node without views: each question is a command to its account.
import { type AccountGateway, answeredIn } from '../../src/api/accounts/accountGateway.ts';

export const gatewayOf = (send: AccountGateway['send']): AccountGateway => ({
  send,
  ask: async (accountId, query, { withHash, ...options }) => {
    const question = { type: 'query', query, ...(withHash && { stateHash: withHash }) } as const;
    return answeredIn(await send(accountId, question, options), query.kind);
  },
});
