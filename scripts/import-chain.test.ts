import { expect, it } from 'vitest';
import { longestChain } from './import-chain.mjs';

/** `{ a: ['b'] }`: the file a imports b. */
const modules = (imports: Record<string, readonly string[]>) =>
  Object.entries(imports).map(([source, files]) => ({
    source,
    dependencies: files.map((resolved) => ({ resolved })),
  }));

it('finds the longest of several import chains', () => {
  const graph = modules({
    'app/page.tsx': ['lib/d.ts', 'components/a.tsx'],
    'components/a.tsx': ['lib/d.ts', 'lib/b.ts'],
    'lib/b.ts': ['lib/c.ts', 'node_modules/zod/index.js'],
    'lib/c.ts': ['lib/d.ts'],
    'lib/d.ts': [],
    'node_modules/zod/index.js': ['node_modules/zod/v4.js'],
    'node_modules/zod/v4.js': [],
  });
  expect(longestChain(graph)).toEqual([
    'app/page.tsx',
    'components/a.tsx',
    'lib/b.ts',
    'lib/c.ts',
    'lib/d.ts',
  ]);
});

it('does not count tests and files that only tests use', () => {
  const graph = modules({
    'lib/a.test.ts': ['lib/testing/sample.ts'],
    'lib/testing/sample.ts': ['lib/a.ts'],
    'lib/parser/testing/cases.ts': ['lib/a.ts'],
    'lib/a.ts': ['lib/b.ts'],
    'lib/b.ts': [],
  });
  expect(longestChain(graph)).toEqual(['lib/a.ts', 'lib/b.ts']);
});

it('ends a chain where files import each other', () => {
  const graph = modules({ 'lib/a.ts': ['lib/b.ts'], 'lib/b.ts': ['lib/a.ts'] });
  expect(longestChain(graph)).toEqual(['lib/a.ts', 'lib/b.ts']);
});
