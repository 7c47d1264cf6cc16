// A request's body against the published contract.
import { Ajv2020 } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: a contract is walked by name
type Contract = any;

/** @returns the faults that the contract finds in it; one line when the contract has no such operation */
export function bodyFaults(
  contract: Contract,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
): string[] {
  const isTemplate = (template: string): boolean => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const template = Object.keys(contract.paths).find(isTemplate) ?? '';
  const operation = contract.paths[template]?.[method.toLowerCase()];
  if (operation?.requestBody === undefined) return [`${method} ${path} takes no body`];
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(contract, 'contract');
  const place = `contract#/paths/${encodeURIComponent(template.replaceAll('/', '~1'))}/${method.toLowerCase()}/requestBody`;
  const { $ref } = operation.requestBody;
  const validate = ajv.getSchema(`${$ref === undefined ? place : `contract${$ref}`}/content/application~1json/schema`);
  if (validate === undefined) return [`${method} ${path} takes no JSON`];
  return validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
