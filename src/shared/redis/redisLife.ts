// Which life of Redis a script runs in. What Redis has answered it still has as long as it lives: only a restart, or a
// replica that takes over, can lose the last moments. So what is known of a shard holds for one life of Redis.

/**
 * A Lua function `redisLife()`: text that changes with every start of the server and every takeover, '' where the server does
 * not tell. A script puts it before its own text.
 */
export const REDIS_LIFE_LUA = `
local function redisLife()
  local server, replication = redis.pcall('INFO', 'server'), redis.pcall('INFO', 'replication')
  if type(server) ~= 'string' or type(replication) ~= 'string' then return '' end
  local run, history = string.match(server, 'run_id:(%x+)'), string.match(replication, 'master_replid:(%x+)')
  if not run or not history then return '' end
  return run .. '.' .. history
end
`;
