// What holds for every info type that the venue does not have. A client's schemas and recordings check the fields of the
// venue's types; our own have only our tests and our page about differences.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { allInfoTypes } from '../../../src/api/info/answerInfo.ts';
import { outsideTypes } from '../../../src/api/info/fixedAnswers.ts';
import { newerRequests, requests } from '../../compat/clientSchemas.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const texts = readdirSync(`${root}/test`, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(test\.ts|json)$/.test(entry.name))
  .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));
const compatibility = readFileSync(`${root}/docs/compatibility.md`, 'utf8');
const ofTheVenue = new Set([...Object.keys({ ...requests, ...newerRequests }), ...outsideTypes]);

describe('an info type of our own', () => {
  for (const { type, answers } of allInfoTypes().filter((info) => !ofTheVenue.has(info.type))) {
    it(`${type}: a test that asks for it names each field of the answer`, () => {
      const asking = texts.filter((text) => new RegExp(`\\b${type}\\b`).test(text)).join('\n');
      const fields = Object.keys((answers as { properties?: object }).properties ?? {});
      expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(asking))).to.deep.equal([]);
    });

    it(`${type}: docs/compatibility.md names what the venue does not have`, () => {
      expect(new RegExp(`\\b${type}\\b`).test(compatibility)).to.equal(true);
    });
  }
});
