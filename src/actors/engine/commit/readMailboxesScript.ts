// The script by which an owner reads the mailboxes of its accounts.
import { Script } from '../../../shared/redis/script.ts';

export const readMailboxesScript = new Script(
  'readMailboxes',
  `
-- Reads the oldest commands of mailboxes, one mailbox after the other, until they are enough bytes.
-- KEYS  mailboxes.
-- ARGV  commands of each at most, bytes after which no further mailbox is read.
-- Answers the entries of each mailbox, in the order of the keys; those that were not read are missing at the end.
-- A script because only where the commands lie is known how long they are.
local answer, bytes = {}, 0
for i = 1, #KEYS do
  if bytes >= tonumber(ARGV[2]) then break end
  answer[i] = redis.call('XRANGE', KEYS[i], '-', '+', 'COUNT', ARGV[1])
  for _, entry in ipairs(answer[i]) do bytes = bytes + #entry[2][2] end
end
return answer
`,
  { whenFull: 'runs' },
);
