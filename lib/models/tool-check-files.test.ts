import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ToolCheck, toolCheck } from '../api/tool-check.ts';
import { ToolCheckFiles } from './tool-check-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loupe-tool-checks-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const pathOf = (id: string) => join(root, 'tool-checks', `${id}.json`);

function checkOf(id: string, endedAt: number): ToolCheck {
  return toolCheck.parse({
    ...{
      id,
      server: 'files',
      model: 'm',
      digest: '',
      started_at: 1,
      ended_at: endedAt,
      tools: [],
      probes: [],
    },
    conditions: { temperature: 0, seed: 1, window_tokens: 8192, num_predict: 512 },
    measured: {
      ...{ replies: 0, calls: 0, layers: { native: 0, json: 0, xml: 0 }, formats: {}, repaired: 0 },
      ...{ coerced: 0, refused: 0, malformed: 0, timed_tokens: 0, eval_ms: 0 },
      ...{ thinking_replies: 0, thinking_chars: 0 },
    },
  });
}

it('reads each stored check once for the list, and leaves out invalid ones', async () => {
  const files = new ToolCheckFiles(root);
  expect(await files.summaries()).toEqual([]);
  await files.save(checkOf('a', 20));
  await files.save(checkOf('b', 10));
  writeFileSync(pathOf('c'), 'no check');
  const ids = async () => (await files.summaries()).map(({ id }) => id);
  expect(await ids()).toEqual(['b', 'a']);
  // Reading the file again would find no check.
  writeFileSync(pathOf('a'), 'no check');
  expect(await ids()).toEqual(['b', 'a']);
  await files.remove('a');
  rmSync(pathOf('b'));
  expect(await ids()).toEqual([]);
});
