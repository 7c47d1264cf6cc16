// The differences of a start where no other machine reaches the exchange. Trials have no end, because a user at home would lose the
// account. Webhooks may go to this machine, but for the ports of its own stores and metrics.

/** Of a trial, days: a hundred years, which pages show as "no end". */
const NO_END_DAYS = '36500';
const LOOPBACK = '127.0.0.0/8,::1/128';
const DEFAULT_PORTS = { redis: 6379, mongodb: 27_017 };

/** @typedef {{ HOST: string, PUBLIC_URL: string }} Reach as the roles are given them; PROXY_HOPS is that of the environment */

/** @param {Reach} reach */
export function isOfOneMachine({ HOST, PUBLIC_URL }) {
  const { hostname } = URL.canParse(PUBLIC_URL) ? new URL(PUBLIC_URL) : { hostname: '' };
  return isLoopback(HOST) && isLoopback(hostname) && !(Number(process.env['PROXY_HOPS'] || 0) > 0);
}

/**
 * @param {Reach} reach
 * @returns {{ TRIAL_DAYS?: string, WEBHOOK_NETWORKS?: string }} variables that are not given; none where others reach the exchange
 */
export function ofOneMachine(reach) {
  if (!isOfOneMachine(reach)) return {};
  return {
    TRIAL_DAYS: process.env['TRIAL_DAYS'] || NO_END_DAYS,
    ...(process.env['PUBLIC_URL'] ? {} : { WEBHOOK_NETWORKS: process.env['WEBHOOK_NETWORKS'] || LOOPBACK }),
  };
}

/**
 * @param {readonly string[]} urls of stores and servers, also with several hosts, or of a socket
 * @param {readonly (number | undefined)[]} ports beside them
 * @returns {string} the ports, as WEBHOOK_CLOSED_PORTS has them
 */
export function closedPorts(urls, ports) {
  const known = new Set(ports.filter((port) => port !== undefined));
  for (const url of urls) {
    const [, scheme = '', hosts = ''] = /^(redis|mongodb|http)[^:]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
    const usual = DEFAULT_PORTS[/** @type {keyof typeof DEFAULT_PORTS} */ (scheme)];
    for (const host of hosts.split(',').filter((one) => one !== '')) {
      const port = /:(\d+)$/.exec(host)?.[1];
      if (port ?? usual) known.add(Number(port ?? usual));
    }
  }
  return [...known].join(',');
}

/** @param {string} host */
const isLoopback = (host) => ['localhost', '::1', '[::1]'].includes(host) || /^127(?:\.\d+){3}$/.test(host);
