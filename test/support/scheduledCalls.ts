// A store whose every call waits for its turn, which a scheduler of fast-check draws: so a test can run what happens at once in
// every order of its steps.
import type fc from 'fast-check';

export function scheduledCalls<T extends object>(target: T, name: string, scheduler: fc.Scheduler): T {
  return new Proxy(target, {
    get(_, method) {
      const value: unknown = Reflect.get(target, method, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        await scheduler.schedule(Promise.resolve(), `${name}.${String(method)}`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
