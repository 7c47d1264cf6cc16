// Reads what an action would be answered.

interface ToldAnswer {
  readonly status: string;
  readonly response: string | object;
}

/** The refusal of all of it, or of its first order that is refused; undefined = it would be taken. */
export function refusalIn({ status, response }: ToldAnswer): string | undefined {
  if (status === 'err' || typeof response === 'string') return String(response);
  const { data } = response as { readonly data?: { readonly statuses?: readonly unknown[]; readonly status?: unknown } };
  for (const element of [...(data?.statuses ?? []), data?.status]) {
    if (typeof element === 'object' && element !== null && 'error' in element) return String(element.error);
  }
  return undefined;
}
