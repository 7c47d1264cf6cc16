import { METHODS } from 'node:http';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { ApiMetrics } from '../../../src/api/http/metrics.ts';

describe('metrics of requests', () => {
  it('methods that no route has share their series, with a trace and without: callers choose none of them', async () => {
    const registry = new Registry();
    const metrics = new ApiMetrics(registry);
    for (const method of METHODS) {
      metrics.observe({ method, route: 'none', status: 404 }, 0.001);
      metrics.observe({ method, route: 'none', status: 404 }, 0.001, '4bf92f3577b34da6a3ce929d0e0e4736');
    }
    const shown = [...(await registry.metrics()).matchAll(/_count\{method="(\w+)",route="none",status="404"\} (\d+)/g)];
    expect(shown.map(([, method]) => method)).to.have.members([
      ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '_OTHER'],
    ]);
    expect(shown.reduce((sum, [, , count]) => sum + Number(count), 0)).to.equal(2 * METHODS.length);
  });
});
