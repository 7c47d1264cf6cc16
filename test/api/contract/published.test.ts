import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { exactly } from '../../../src/api/contract/answerValues.ts';
import { described, named } from '../../../src/api/contract/named.ts';
import { PublishedSchemas } from '../../../src/api/contract/published.ts';

const Point = named('Point', exactly({ x: Type.Integer() }, { description: 'A point.' }));

describe('named schemas stand in a document once', () => {
  const publish = (...schemas: (typeof Point)[]): { told: object[]; components: object } => {
    const document = PublishedSchemas.ofOpenApi();
    return { told: schemas.map((schema) => document.publish(schema)), components: document.components() };
  };

  it('and are referred to, alone, in a list, and where they may be left out', () => {
    const holder = exactly({ one: Point, all: Type.Array(Point), some: Type.Optional(Point) });
    const { told, components } = publish(holder as never);
    const $ref = '#/components/schemas/Point';
    expect(told[0]).to.have.deep.property('properties', {
      one: { $ref },
      all: { type: 'array', items: { $ref } },
      some: { $ref },
    });
    expect(components).to.deep.equal({
      Point: {
        description: 'A point.',
        type: 'object',
        properties: { x: { type: 'integer' } },
        required: ['x'],
        additionalProperties: false,
      },
    });
  });

  it('with a description of its own beside the reference', () => {
    const here = described(Point, 'Where it begins.');
    expect(publish(here).told).to.deep.equal([{ $ref: '#/components/schemas/Point', description: 'Where it begins.' }]);
    expect(PublishedSchemas.ofAsyncApi().publish(here)).to.deep.equal({
      allOf: [{ $ref: '#/components/schemas/Point' }],
      description: 'Where it begins.',
    });
  });

  it('one name for two schemas is a fault', () => {
    const other = named('Point', exactly({ x: Type.Integer(), y: Type.Integer() }));
    expect(() => publish(Point, other as never)).to.throw('Point is the name of two schemas');
  });

  it('a copy that was changed is no longer what its name says', () => {
    expect(() => publish({ ...Point, additionalProperties: true })).to.throw('a copy of Point differs');
  });

  it('a tuple of another length is refused as before', () => {
    const document = PublishedSchemas.ofOpenApi();
    expect(document.publish(Type.Tuple([Type.Integer(), Type.String()]))).to.deep.equal({
      type: 'array',
      prefixItems: [{ type: 'integer' }, { type: 'string' }],
      minItems: 2,
      maxItems: 2,
    });
  });
});
