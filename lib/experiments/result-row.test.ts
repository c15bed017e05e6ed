import { expect, it } from 'vitest';
import { calls, play, says } from '../testing/loop-harness.ts';
import { resultOfLog } from './result-row.ts';
import { resultsCsv } from './results-table.ts';

it('contains the window and reply limit that were sent, not the requested ones', async () => {
  const list = calls({ name: 'list_directory', arguments: { path: '.' } });
  await using run = await play(
    { task: 'Look', model_options: { num_ctx: 32_768, num_predict: 300 } },
    [list, says('Done.')],
    { fake: { models: [{ name: 'play', context_length: 8192 }] } },
  );
  async function* pages() {
    yield run.log.events;
  }
  const result = await resultOfLog(pages());
  expect(result).toMatchObject({ num_ctx: 8192, num_predict: 300 });
  expect(run.fake.chats[0]?.options).toMatchObject({ num_ctx: 8192, num_predict: 300 });
  const item = {
    position: 1,
    model: 'play',
    options: { num_ctx: 32_768 },
    repeat: 1,
    status: 'done' as const,
  };
  const [header = '', row = ''] = resultsCsv([{ ...item, result }]).split('\r\n');
  const cells = Object.fromEntries(header.split(',').map((name, index) => [name, row.split(',')[index]]));
  expect(cells).toMatchObject({ option_num_ctx: '32768', num_ctx: '8192', num_predict: '300' });
});
