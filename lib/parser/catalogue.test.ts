import { expect, it } from 'vitest';
import { MARKERS } from './formats/markers.ts';
import { FORMATS } from './formats/registry.ts';
import { parseToolCalls } from './parse-tool-calls.ts';
import { readCatalogue } from './testing/catalogue.ts';
import { RENDERERS } from './testing/renderers.ts';
import { TOOLS } from './testing/tools.ts';

const { catalogue, server } = readCatalogue();

it.each(catalogue)('reads the documented sample $name [P7]', ({ sample, loupe }) => {
  const reply = parseToolCalls({ content: sample }, { tools: TOOLS });
  const read =
    reply.type === 'tool_calls'
      ? `${reply.layer}, ${reply.format}`
      : reply.malformed
        ? 'malformed'
        : 'no call';
  expect(read).toBe(loupe);
});

it('documents every format', () => {
  const listed = new Set(catalogue.map(({ loupe }) => loupe.split(', ')[1]));
  const known = [
    ...FORMATS.filter(({ name }) => name !== 'marked'),
    ...MARKERS.filter(({ format }) => format !== 'tool-section').map(({ format }) => ({ name: format })),
    ...RENDERERS.map(({ format }) => ({ name: format })),
  ].map(({ name }) => name);
  expect(known.filter((name) => !listed.has(name))).toEqual([]);
});

it('documents what the server does with each sample', () => {
  expect([...server.keys()]).toEqual(catalogue.map(({ name }) => name));
});
