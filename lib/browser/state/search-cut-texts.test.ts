import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { viewEvent } from '../../http/view-event.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { valueAt } from '../../util/value-at.ts';
import { searchCutTexts } from './search-cut-texts.ts';
import { queryWords } from './search-rows.ts';

const long = (end: string, chars = 70_000) => `${'word '.repeat(chars / 5)}${end}`;
const { events } = new SampleLog().prepare().round({
  thinking: long('a quokka'),
  text: 'I begin.',
  calls: [
    {
      name: 'write_file',
      arguments: { path: 'a.md', content: long('a WÓMBAT') },
      result: { output: 'Done.' },
    },
    { name: 'read_file', arguments: { path: 'b.md' }, result: { output: { content: long('an emu') } } },
    { name: 'read_file', arguments: { path: 'c.md' }, result: { output: long('a koala', 2_000_005) } },
  ],
});
// The reply also has the arguments of its calls, which are searched in the rows of the calls.
const { rows } = foldTimeline(emptyTimeline, events.map(viewEvent));

async function search(query: string) {
  const fetched: string[] = [];
  const value = async (seq: number, path: string) => {
    fetched.push(path);
    return valueAt(events[seq - 1], path);
  };
  const found = await searchCutTexts(rows, queryWords(query), { value });
  return { ...found, fetched, rows: rows.filter(({ key }) => found.rows.has(key)).map(({ kind }) => kind) };
}

it('finds words in the rest of texts that were cut, together with words in what was sent', async () => {
  expect(await search('quokka begin')).toMatchObject({ rows: ['call'] });
  expect(await search('"a wombat" a.md')).toMatchObject({ rows: ['tool'] });
  expect(await search('wombat')).toMatchObject({ rows: ['tool'] });
  expect(await search('emu')).toMatchObject({ rows: ['tool'] });
  expect(await search('emu a.md')).toMatchObject({ rows: [] });
});

it('counts the texts that are too long, and fetches nothing for words that were sent', async () => {
  expect(await search('koala')).toMatchObject({ rows: [], skipped: 1 });
  const { fetched } = await search('word');
  expect(fetched.filter((path) => path.startsWith('result'))).toEqual([]);
});
