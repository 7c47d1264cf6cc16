// A store whose every call passes a gate first. The gate waits for its turn, so that a test can run what happens at once in every
// order of its steps, or throws, as if the process had died before that step.

/** @param gate is given the name of the call, e.g. `users.findById` */
export function gatedCalls<T extends object>(target: T, name: string, gate: (call: string) => Promise<unknown>): T {
  return new Proxy(target, {
    get(_, method) {
      const value: unknown = Reflect.get(target, method, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        await gate(`${name}.${String(method)}`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
