// Serves /metrics and /health/live of a process without the API, so that operators see and probe every role alike.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Role, RoleParts } from './role.ts';

/** Listens on METRICS_PORT. @throws when the port is taken */
export async function startMetricsServer(
  parts: Pick<RoleParts, 'config' | 'log' | 'registry'>,
): Promise<Role & { port: number }> {
  const { config, log, registry } = parts;
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    if (request.url === '/health/live') return answer(200, 'application/json; charset=utf-8', '{"status":"ok"}');
    if (request.url !== '/metrics') return answer(404, 'text/plain; charset=utf-8', 'Not found\n');
    registry.metrics().then(
      (text) => answer(200, registry.contentType, text),
      (error: unknown) => {
        log.error({ err: error }, 'metrics could not be collected');
        answer(500, 'text/plain; charset=utf-8', 'Metrics could not be collected\n');
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.METRICS_PORT, config.HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
