import { expect, it } from 'vitest';
import { schemaProblems } from './schema-problems.ts';

const percent = (dialect: string | undefined) => ({
  ...(dialect === undefined ? {} : { $schema: dialect }),
  properties: { percent: { minimum: 0, maximum: 100, exclusiveMaximum: false } },
});

it.each(['http://json-schema.org/draft-04/schema#', 'http://json-schema.org/draft-03/schema'])(
  'reads a schema by the draft that it names: %s',
  (dialect) => {
    expect(schemaProblems({ percent: 50 }, percent(dialect)).problems).toEqual([]);
    expect(schemaProblems({ percent: 101 }, percent(dialect)).problems).toHaveLength(1);
  },
);

it('ignores what is beside a reference in draft 7 only', () => {
  const schema = {
    properties: { a: { $ref: '#/$defs/text', maxLength: 1 } },
    $defs: { text: { type: 'string' } },
  };
  expect(schemaProblems({ a: 'long' }, schema).problems).toHaveLength(1);
  const draft7 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
  expect(schemaProblems({ a: 'long' }, draft7).problems).toEqual([]);
});

it.each([undefined, 'https://json-schema.org/draft/2020-12/schema', 'https://example.com/own', 7])(
  'reads any other schema by draft 2020-12: %s',
  (dialect) => {
    const schema = {
      ...percent(undefined),
      ...(dialect === undefined ? {} : { $schema: dialect }),
      prefixItems: [{ type: 'string' }],
    };
    expect(schemaProblems([1], schema).problems).toHaveLength(1);
  },
);
