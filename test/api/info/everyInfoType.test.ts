// Promises of every info type that the venue does not have. A client's schemas and recordings check the fields of the venue's
// types; our own have only our tests and our page about differences.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { allInfoTypes } from '../../../src/api/info/answerInfo.ts';
import { fixedAnswers, outsideTypes } from '../../../src/api/info/fixedAnswers.ts';
import { newerRequests, requests } from '../../compat/clientSchemas.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const texts = readdirSync(`${root}/test`, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(test\.ts|json)$/.test(entry.name))
  .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));
const compatibility = readFileSync(`${root}/docs/compatibility.md`, 'utf8');
const ofTheVenue = new Set([...Object.keys({ ...requests, ...newerRequests }), ...outsideTypes]);

/** Fields of an answer, or of each of its rows. */
const fieldsOf = (answers: object): string[] => {
  const { properties, items } = answers as { properties?: object; items?: { properties?: object } };
  return Object.keys(properties ?? items?.properties ?? {});
};

/** Lists that open orders and a few periods bound. */
const BOUNDED: ReadonlySet<string> = new Set([
  'openOrders',
  'frontendOpenOrders',
  'portfolio',
  ...fixedAnswers.map(({ type }) => type),
]);

describe('an info type about an account', () => {
  for (const { type, answers, schema, price } of allInfoTypes().filter((info) => !BOUNDED.has(info.type))) {
    if (!('user' in schema.properties) || answers['type'] !== 'array') continue;
    it(`${type}: the rows of its answer have a price`, () => expect(price.rowsPerWeight).to.be.a('number'));
  }
});

describe('an info type of our own', () => {
  for (const { type, answers } of allInfoTypes().filter((info) => !ofTheVenue.has(info.type))) {
    it(`${type}: a test that asks for it names each field of the answer`, () => {
      const asking = texts.filter((text) => new RegExp(`\\b${type}\\b`).test(text)).join('\n');
      const fields = fieldsOf(answers);
      expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(asking))).to.deep.equal([]);
    });

    it(`${type}: docs/compatibility.md names what the venue does not have`, () => {
      expect(new RegExp(`\\b${type}\\b`).test(compatibility)).to.equal(true);
    });
  }
});
